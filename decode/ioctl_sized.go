package decode

import (
	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// Requests whose number tells how much memory the argument has: a name for each
// size, EVIOCGNAME(256). They are no commands of the table, which goes by the
// whole number.

// sizedName is a request with a size in its name; dir, typ and nr are those of
// its number.
type sizedName struct {
	dir, typ, nr uint64
	name         string
}

var sizedNames = []sizedName{
	{iocRead, 'E', 0x06, "EVIOCGNAME"},
	{iocRead, 'E', 0x07, "EVIOCGPHYS"},
	{iocRead, 'E', 0x08, "EVIOCGUNIQ"},
	{iocRead, 'E', 0x09, "EVIOCGPROP"},
	{iocRead, 'E', 0x0a, "EVIOCGMTSLOTS"},
	{iocRead, 'E', 0x18, "EVIOCGKEY"},
	{iocRead, 'E', 0x19, "EVIOCGLED"},
	{iocRead, 'E', 0x1a, "EVIOCGSND"},
	{iocRead, 'E', 0x1b, "EVIOCGSW"},
	{iocRead, 'H', 0x04, "HIDIOCGRAWNAME"},
	{iocRead, 'H', 0x05, "HIDIOCGRAWPHYS"},
	{iocRead, 'H', 0x06, "HIDIOCSFEATURE"},
	{iocRead, 'H', 0x08, "HIDIOCGRAWUNIQ"},
	{iocRead, 'H', 0x12, "HIDIOCGPHYS"},
	{iocRead | iocWrite, 'H', 0x06, "HIDIOCSFEATURE"},
	{iocRead | iocWrite, 'H', 0x07, "HIDIOCGFEATURE"},
	{iocRead, 'U', 0x2c, "UI_GET_SYSNAME"},
	{iocRead, 'j', 0x13, "JSIOCGNAME"},
	{iocWrite, 'k', 0x00, "SPI_IOC_MESSAGE"},
}

// ioctlSizedName writes the name of a request that has a size or a number in
// it, if it is one. Some of them have another name besides.
func (c *Call) ioctlSizedName(code uint64) bool {
	dir, typ, nr := iocDir(code), iocType(code), iocNR(code)
	switch typ {
	case 'E':
		switch {
		case dir == iocWrite && nr >= 0xc0:
			c.ioctlNameOf("EVIOCSABS", nr-0xc0, xlat.EvAbs)
		case dir == iocRead && nr >= 0x40 && nr < 0x80:
			c.ioctlNameOf("EVIOCGABS", nr-0x40, xlat.EvAbs)
		case dir == iocRead && nr >= 0x20 && nr < 0x40:
			c.BeginCall("EVIOCGBIT")
			c.Param()
			if nr == 0x20 {
				c.Uint(0)
			} else {
				c.ioctlPart(nr-0x20, xlat.EvTypes)
			}
			c.Param()
			c.Uint(iocSize(code))
			c.EndCall()
		default:
			return c.ioctlNameSized(code)
		}
	case 'M':
		switch dir {
		case iocWrite:
			c.ioctlNameOf("MIXER_WRITE", nr, nil)
		case iocRead:
			c.ioctlNameOf("MIXER_READ", nr, nil)
		default:
			return false
		}
	case '!':
		if code != seccompWrongDir {
			return false
		}
		c.Text("SECCOMP_IOCTL_NOTIF_ID_VALID_WRONG_DIR")
	default:
		return c.ioctlNameSized(code)
	}
	c.ioctlAlso(code)
	return true
}

func (c *Call) ioctlNameSized(code uint64) bool {
	dir, typ, nr := iocDir(code), iocType(code), iocNR(code)
	for i := range sizedNames {
		if n := &sizedNames[i]; n.typ == typ && n.nr == nr && n.dir == dir {
			c.ioctlNameOf(n.name, iocSize(code), nil)
			c.ioctlAlso(code)
			return true
		}
	}
	return false
}

// ioctlNameOf writes NAME(v).
func (c *Call) ioctlNameOf(name string, v uint64, x *out.Xlat) {
	c.BeginCall(name)
	c.Param()
	if x != nil {
		c.ioctlPart(v, x)
	} else {
		c.Uint(v)
	}
	c.EndCall()
}

// ioctlPart writes a number in the name of a request. Where that is a comment
// itself, an unknown one has none.
func (c *Call) ioctlPart(v uint64, x *out.Xlat) {
	if _, ok := x.Name(v); !ok && c.Opts.Xlat == out.Verbose {
		c.Hex(v)
		return
	}
	c.Enum(v, x)
}

// ioctlAlso writes the names of the number that the table has.
func (c *Call) ioctlAlso(code uint64) {
	for _, n := range xlat.Ioctls.Find(c.Machine, uint32(code)) {
		c.Syntax(" or ")
		c.Text(xlat.Ioctls.Names[n])
	}
}

// ioctlSizedArg writes the argument of such a request, if it is one that is
// known.
func (c *Call) ioctlSizedArg(code, v uint64) bool {
	size, nr := int(iocSize(code)), iocNR(code)
	switch iocType(code) {
	case 'E':
		return c.evdevArg(code, v)
	case '!':
		if code != seccompWrongDir {
			return false
		}
		if b, ok := c.ReadOr(v, 8); ok {
			c.Vec(b, v, 1, &hex64)
		}
	case 0xff:
		if nr != pidfdInfoNR {
			return false
		}
		c.pidfdGetInfo(size, v)
	case 0xb7:
		if nr < mntNsInfoNR || nr > mntNsInfoNR+2 || size < mntNsInfo.size(c.Lay) {
			return false
		}
		outPtrArg(c, &mntNsInfo, v)
	default:
		return false
	}
	return true
}

const (
	// SECCOMP_IOCTL_NOTIF_ID_VALID before Linux 5.9.
	seccompWrongDir = 0x80082102

	pidfdInfoNR = 11
	mntNsInfoNR = 10 // NS_MNT_GET_INFO, then NEXT and PREV
)

// outPtrArg writes what a call has filled in, as outPtr does.
func outPtrArg(c *Call, t *Type, v uint64) {
	if !c.Succeeded() {
		c.Addr(v)
		return
	}
	if b, ok := c.ReadOr(v, t.size(c.Lay)); ok {
		t.Val(c, b, v)
	}
}
