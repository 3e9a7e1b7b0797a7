package decode

import (
	"testing"

	"perftrace/decode/out"
	"perftrace/decode/xlat"
	"perftrace/event"
)

func TestEveryIoctlOfTheFamiliesHasANumberSomewhere(t *testing.T) {
	for _, family := range ioctlFamilies() {
		for _, r := range family {
			found := false
			for m := range out.NumMachine {
				_, ok := xlat.Ioctls.Number(m, r.name)
				found = found || ok
			}
			if !found {
				t.Errorf("%s has no number on any machine", r.name)
			}
		}
	}
}

func TestNoIoctlHasMoreCapturesThanACallMayHave(t *testing.T) {
	o := Default()
	for _, family := range ioctlFamilies() {
		for _, r := range family {
			for l := range numLay {
				list := args{{"fd", fd}, {"op", ioctlOp}}
				if got := len(capture(append(list, r.args...), r.ret, l, &o, false)); got > event.MaxCaptures {
					t.Errorf("%s: %d captures", r.name, got)
				}
			}
		}
	}
}

// The size in a request's number is that of the struct: what is described must
// be as large, where it is a struct that the request's number tells of.
func TestDescribedStructsAreAsLargeAsTheNumberOfTheRequestSays(t *testing.T) {
	for _, c := range []struct {
		name string
		t    Type
	}{
		{"VIDIOC_QUERYCAP", vidCaps},
		{"VIDIOC_ENUM_FMT", vidFmtDesc.Type()},
		{"VIDIOC_G_FMT", vidFormatType},
		{"VIDIOC_EXPBUF", vidExport},
		{"VIDIOC_G_FBUF", vidFrame},
		{"VIDIOC_ENUMSTD", vidStd.Type()},
		{"VIDIOC_ENUMINPUT", vidInput.Type()},
		{"VIDIOC_CROPCAP", vidCropCap.Type()},
		{"VIDIOC_ENUM_FRAMESIZES", vidFrameSize.Type()},
		{"VIDIOC_ENUM_FRAMEINTERVALS", vidInterval.Type()},
		{"VIDIOC_CREATE_BUFS", vidCreate},
		{"VIDIOC_G_TUNER", vidTunerOf(true).Type()},
		{"VIDIOC_QUERYCTRL", vidQueryCtrl.Type()},
		{"VIDIOC_QUERY_EXT_CTRL", vidQueryExt.Type()},
		{"VIDIOC_QUERYMENU", vidMenuAsk},
		{"VIDIOC_G_EXT_CTRLS", vidExtHead.Type()},
		{"BTRFS_IOC_BALANCE_V2", btrfsBalance(true)},
		{"BTRFS_IOC_DEV_INFO", btrfsDevInfo},
		{"BTRFS_IOC_FS_INFO", btrfsFsInfo},
		{"BTRFS_IOC_DEFRAG_RANGE", btrfsDefrag},
		{"BTRFS_IOC_SCRUB", btrfsScrubTold},
		{"BTRFS_IOC_GET_DEV_STATS", btrfsStats},
		{"BTRFS_IOC_SNAP_CREATE_V2", btrfsVol2},
		{"BTRFS_IOC_SNAP_CREATE", btrfsVol},
		{"GPIO_V2_GET_LINE_IOCTL", gpioV2RequestFD},
		{"GPIO_V2_GET_LINEINFO_IOCTL", gpioV2Info},
		{"GPIO_GET_LINEHANDLE_IOCTL", gpioHandle},
		{"GPIO_GET_LINEEVENT_IOCTL", gpioEvent},
		{"PTP_PEROUT_REQUEST", ptpPeroutOf(false)},
		{"PTP_SYS_OFFSET", ptpOffset.Type()},
		{"PTP_SYS_OFFSET_EXTENDED", ptpExtended.Type()},
		{"UBI_IOCMKVOL", ubiMkvol},
		{"UBI_IOCRNVOL", ubiRnvol},
		{"MEMGETINFO", mtdInfo},
		{"ECCGETLAYOUT", mtdLayout},
		{"EVIOCSFF", ffEffect},
		{"BLKTRACESETUP", blkTraceSetup.Type()},
		{"DM_DEV_STATUS", dmHead.Type()},
		{"SECCOMP_IOCTL_NOTIF_RECV", seccompNotifReq},
	} {
		for _, m := range []struct {
			machine out.Machine
			lay     Lay
		}{{out.AMD64, Lay64}, {out.I386, LayI386}} {
			nr, ok := xlat.Ioctls.Number(m.machine, c.name)
			if want := iocSize(uint64(nr)); ok && uint64(c.t.size(m.lay)) != want {
				t.Errorf("%s on machine %d: described as %d bytes, want %d", c.name, m.machine, c.t.size(m.lay), want)
			}
		}
	}
}
