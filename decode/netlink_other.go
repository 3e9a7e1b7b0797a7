package decode

import (
	"encoding/binary"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
)

// Netlink protocols with few messages: netfilter, crypto, selinux.

// netfilterPayload writes a netfilter message: a header and attributes, which
// depend on the subsystem and are not known.
func (c *Call) netfilterPayload(m nlmsg, addr uint64, n int) bool {
	const size = 4 // struct nfgenmsg
	if m.typ == xlat.NLMSG_DONE || n < size {
		return false
	}
	b, ok := c.Read(addr, size)
	if !ok {
		c.Addr(addr)
		return true
	}
	c.BeginStruct()
	c.Field("nfgen_family")
	c.Enum(uint64(b[0]), xlat.AddressFamilies)
	c.Field("version")
	c.Enum(uint64(b[1]), xlat.NFVersions)
	c.Field("res_id")
	raw, id := c.U16(b[2:]), uint64(binary.BigEndian.Uint16(b[2:]))
	nft := m.typ>>8 == xlat.NFNL_SUBSYS_NFTABLES
	switch {
	case nft && id == xlat.NFNL_SUBSYS_NFTABLES:
		c.Enum(raw, nftResID)
	case nft && raw == xlat.NFNL_SUBSYS_NFTABLES: // in host order: so it was before Linux 4.3
		c.Enum(raw, xlat.NFSubsystems)
	default:
		c.wrap("htons", id)
	}
	c.EndStruct()
	if n > size {
		c.Elem()
		addr += size
		n -= size
		batch := m.typ >= xlat.NFNL_MSG_BATCH_BEGIN && m.typ <= xlat.NFNL_MSG_BATCH_END
		if batch || m.typ < xlat.NLMSG_MIN_TYPE {
			c.HexAt(addr, uint64(n))
		} else {
			c.Attrs(addr, n, nlUnknown)
		}
	}
	return true
}

var nftResID = &out.Xlat{Entries: []out.Entry{{Val: xlat.NFNL_SUBSYS_NFTABLES << 8, Name: "htons(NFNL_SUBSYS_NFTABLES)"}}}

// selinuxPayload writes a notice of selinux.
func (c *Call) selinuxPayload(m nlmsg, addr uint64, n int) bool {
	switch m.typ {
	case xlat.SELNL_MSG_SETENFORCE:
		return nlEnforce(c, addr, n)
	case xlat.SELNL_MSG_POLICYLOAD:
		return nlPolicyLoad(c, addr, n)
	}
	return false
}

var (
	nlEnforce    = nlMsg(layout(has("val", dec)))
	nlPolicyLoad = nlMsg(layout(has("seqno", udec)))
)

// cryptoPayload writes a message about an algorithm.
func (c *Call) cryptoPayload(m nlmsg, addr uint64, n int) bool {
	switch m.typ {
	case xlat.CRYPTO_MSG_NEWALG, xlat.CRYPTO_MSG_DELALG, xlat.CRYPTO_MSG_UPDATEALG, xlat.CRYPTO_MSG_GETALG:
	default:
		return false
	}
	return orBytes(nlMsgThen(cryptoAlg, attrsOf(cryptoAttrs)))(c, addr, n)
}

// orBytes shows as a string what is too short.
func orBytes(show nlShow) nlShow {
	return func(c *Call, addr uint64, n int) bool {
		if !show(c, addr, n) {
			c.BufAt(addr, uint64(n))
		}
		return true
	}
}

const cryptoName = 64 // CRYPTO_MAX_NAME

var (
	cryptoAlg = layout(
		has("cru_name", cstrOf(cryptoName)), has("cru_driver_name", cstrOf(cryptoName)), has("cru_module_name", cstrOf(cryptoName)),
		has("cru_type", hex), has("cru_mask", hex), has("cru_refcnt", udec), has("cru_flags", hex),
	)
	cryptoAttrs = &nlTable{names: xlat.CryptoAttrs, of: map[uint16]nlShow{
		xlat.CRYPTOCFGA_PRIORITY_VAL:  nlU32,
		xlat.CRYPTOCFGA_REPORT_LARVAL: cryptoType,
		xlat.CRYPTOCFGA_REPORT_HASH:   cryptoReport(has("blocksize", udec), has("digestsize", udec)),
		xlat.CRYPTOCFGA_REPORT_BLKCIPHER: cryptoReport(
			has("geniv", cstrOf(cryptoName)), has("blocksize", udec), has("min_keysize", udec), has("max_keysize", udec), has("ivsize", udec),
		),
		xlat.CRYPTOCFGA_REPORT_AEAD: cryptoReport(
			has("geniv", cstrOf(cryptoName)), has("blocksize", udec), has("maxauthsize", udec), has("ivsize", udec),
		),
		xlat.CRYPTOCFGA_REPORT_COMPRESS: cryptoType,
		xlat.CRYPTOCFGA_REPORT_RNG:      cryptoReport(has("seedsize", udec)),
		xlat.CRYPTOCFGA_REPORT_CIPHER:   cryptoReport(has("blocksize", udec), has("min_keysize", udec), has("max_keysize", udec)),
		xlat.CRYPTOCFGA_REPORT_AKCIPHER: cryptoType,
		xlat.CRYPTOCFGA_REPORT_KPP:      cryptoType,
		xlat.CRYPTOCFGA_REPORT_ACOMP:    cryptoType,
		xlat.CRYPTOCFGA_REPORT_SIG:      cryptoType,
	}}
)

// cryptoReport is a report that begins with the type of the algorithm.
func cryptoReport(fields ...msgField) nlShow {
	return orBytes(nlMsg(layout(append([]msgField{has("type", cstrOf(cryptoName))}, fields...)...)))
}

// cryptoType is a report of the type alone.
func cryptoType(c *Call, addr uint64, n int) bool {
	c.BeginStruct()
	c.Field("type")
	nlStrZ(c, addr, n)
	c.EndStruct()
	return true
}
