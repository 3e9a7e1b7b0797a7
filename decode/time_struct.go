package decode

// The structs of time. timespec and timeval are those of the ABI's word; the 64
// forms have 64-bit seconds in every ABI, as the calls with time64 in their
// names take them. Fractions are unsigned, as strace shows them.
var (
	timespecStruct   = NewStruct(Arg{"tv_sec", ldec}, Arg{"tv_nsec", uldec})
	timespec64Struct = NewStruct(Arg{"tv_sec", dec64}, Arg{"tv_nsec", udec64})
	timevalStruct    = NewStruct(Arg{"tv_sec", ldec}, Arg{"tv_usec", uldec})
	timeval64Struct  = NewStruct(Arg{"tv_sec", dec64}, Arg{"tv_usec", udec64})
	timezoneStruct   = NewStruct(Arg{"tz_minuteswest", dec}, Arg{"tz_dsttime", dec})

	timespec   = timespecStruct.Type()
	timespec64 = timespec64Struct.Type()
	timeval    = timevalStruct.Type()
	timeval64  = timeval64Struct.Type()
	timezone   = timezoneStruct.Type()

	itimerspec   = NewStruct(Arg{"it_interval", timespec}, Arg{"it_value", timespec}).Type()
	itimerspec64 = NewStruct(Arg{"it_interval", timespec64}, Arg{"it_value", timespec64}).Type()
	itimerval    = NewStruct(Arg{"it_interval", timeval}, Arg{"it_value", timeval}).Type()
)
