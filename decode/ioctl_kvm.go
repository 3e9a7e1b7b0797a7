package decode

import "perftrace/decode/xlat"

// Virtual machines: linux/kvm.h, and asm/kvm.h of x86.
var (
	kvmMemory = NewStruct(
		Arg{"slot", udec}, Arg{"flags", flags(xlat.KvmMemFlags)}, Arg{"guest_phys_addr", hex64},
		Arg{"memory_size", udec64}, Arg{"userspace_addr", hex64},
	).Type()

	kvmRegsStruct = NewStruct(
		Arg{"rax", hex64}, Arg{"rbx", hex64}, Arg{"rcx", hex64}, Arg{"rdx", hex64}, Arg{"rsi", hex64}, Arg{"rdi", hex64},
		Arg{"rsp", hex64}, Arg{"rbp", hex64}, Arg{"r8", hex64}, Arg{"r9", hex64}, Arg{"r10", hex64}, Arg{"r11", hex64},
		Arg{"r12", hex64}, Arg{"r13", hex64}, Arg{"r14", hex64}, Arg{"r15", hex64}, Arg{"rip", hex64}, Arg{"rflags", hex64},
	)
	kvmRegs = func() Type {
		t := kvmRegsStruct.Type()
		whole := t.Mem
		t.Mem = func(c *Call, b []byte, addr uint64) {
			if !c.Abbrev {
				whole(c, b, addr)
				return
			}
			c.BeginStruct()
			kvmRegsStruct.PrintOnly(c, b, "rax")
			c.MoreFields()
			kvmRegsStruct.PrintOnly(c, b, "rsp", "rbp")
			c.MoreFields()
			kvmRegsStruct.PrintOnly(c, b, "rip", "rflags")
			c.EndStruct()
		}
		return t
	}()

	kvmSegment = NewStruct(
		Arg{"base", hex64}, Arg{"limit", udec}, Arg{"selector", udec16}, Arg{"type", udec8}, Arg{"present", udec8},
		Arg{"dpl", udec8}, Arg{"db", udec8}, Arg{"s", udec8}, Arg{"l", udec8}, Arg{"g", udec8}, Arg{"avl", udec8},
		Arg{"", pad(2)},
	).Type()
	kvmTable = NewStruct(Arg{"base", hex64}, Arg{"limit", udec16}, Arg{"", pad(6)}).Type()
	kvmSregs = NewStruct(
		Arg{"cs", kvmSegment}, abridged, Arg{"ds", kvmSegment}, Arg{"es", kvmSegment}, Arg{"fs", kvmSegment},
		Arg{"gs", kvmSegment}, Arg{"ss", kvmSegment}, Arg{"tr", kvmSegment}, Arg{"ldt", kvmSegment}, Arg{"gdt", kvmTable},
		Arg{"idt", kvmTable}, Arg{"cr0", udec64}, Arg{"cr2", udec64}, Arg{"cr3", udec64}, Arg{"cr4", udec64},
		Arg{"cr8", udec64}, Arg{"efer", udec64}, Arg{"apic_base", hex64}, Arg{"interrupt_bitmap", vec(hex64, 4)},
	).Type()

	kvmCpuidEntry = NewStruct(
		Arg{"function", hex}, Arg{"index", hex}, Arg{"flags", flags(xlat.KvmCpuidFlags)},
		Arg{"eax", hex}, Arg{"ebx", hex}, Arg{"ecx", hex}, Arg{"edx", hex}, Arg{"", pad(12)},
	).Type()
	kvmCpuid = NewStruct(Arg{"nent", udec}, Arg{"", pad(4)}, Arg{"entries", kvmEntries()}).Type()
)

// kvmEntries are the entries behind the struct; with abbreviation, only whether
// there are any.
func kvmEntries() Type {
	t := tail(kvmCpuidEntry, 8, 0, 4, u32At(0))
	whole := t.Within
	t.Within = func(c *Call, s []byte, at int, addr uint64) {
		if !c.Abbrev {
			whole(c, s, at, addr)
			return
		}
		c.BeginArray()
		if c.U32(s) != 0 {
			c.Elem()
			c.More()
		}
		c.EndArray()
	}
	return t
}

var ioctlKvm = joined(
	[]ioctl{
		{name: "KVM_CREATE_VM", args: argp(ioctlAny), ret: RetFD},
		{name: "KVM_CREATE_VCPU", args: argp(udec), ret: RetFD},
	},
	each(argp(in(kvmMemory)), "KVM_SET_USER_MEMORY_REGION"),
	each(argp(enumIn(Ulong, xlat.KvmCaps)), "KVM_CHECK_EXTENSION"),
	onlyOn(OnAMD64|OnX32|On386, joined(
		each(argp(in(kvmRegs)), "KVM_SET_REGS"),
		each(argp(outAlways(kvmRegs)), "KVM_GET_REGS"),
		each(argp(in(kvmSregs)), "KVM_SET_SREGS"),
		each(argp(outAlways(kvmSregs)), "KVM_GET_SREGS"),
		each(argp(in(kvmCpuid)), "KVM_SET_CPUID2"),
		each(argp(outAlways(kvmCpuid)), "KVM_GET_SUPPORTED_CPUID", "KVM_GET_EMULATED_CPUID"),
	)),
)
