package event

import "testing"

// entry and exit make events of task 7 of process 5.
func entry(tid, nr uint32, time uint64) *Event {
	return &Event{TGID: 5, TID: tid, NR: nr, Time: time, Args: [6]uint64{time, 2, 3, 4, 5, 6}, IP: 99}
}

func exit(tid, nr uint32, time uint64) *Event {
	return &Event{TGID: 5, TID: tid, NR: nr, Time: time}
}

func TestAnExitGetsWhatItsEntryTold(t *testing.T) {
	var p Pairer
	p.Enter(entry(7, 1, 100), false)
	p.Enter(entry(8, 2, 110), false)
	e := exit(8, 2, 120)
	p.Exit(e)
	if e.Flags != HasEnter || e.Enter != 110 || e.Args[0] != 110 || e.IP != 99 {
		t.Errorf("call of task 8: %+v", e)
	}
	e = exit(7, 1, 130)
	p.Exit(e)
	if e.Flags != HasEnter || e.Enter != 100 || e.Args[0] != 100 {
		t.Errorf("call of task 7: %+v", e)
	}
}

func TestACallThatWasInProgressAtAttachIsResumed(t *testing.T) {
	var p Pairer
	e := exit(7, 0, 50)
	p.Exit(e)
	if e.Flags != Resumed|NoArgs {
		t.Errorf("the first exit of a task has flags %b, want Resumed|NoArgs", e.Flags)
	}
	e = exit(7, 0, 60)
	p.Exit(e)
	if e.Flags != NoArgs {
		t.Errorf("a second exit without entry has flags %b, want NoArgs alone", e.Flags)
	}
	p.Born(8, 5)
	e = exit(8, 0, 60)
	p.Exit(e)
	if e.Flags != NoArgs {
		t.Errorf("the exit of a task born in the trace has flags %b, want NoArgs alone", e.Flags)
	}
}

func TestEntryAndExitAreNotJoinedAcrossAGap(t *testing.T) {
	var p Pairer
	p.Enter(entry(7, 39, 100), false)
	p.Gap()
	e := exit(7, 39, 120)
	p.Exit(e)
	if e.Flags != NoArgs {
		t.Errorf("across a gap: flags %b, want NoArgs", e.Flags)
	}
	p.Enter(entry(7, 39, 130), false)
	e = exit(7, 39, 140)
	p.Exit(e)
	if e.Flags != HasEnter || e.Enter != 130 {
		t.Errorf("behind the gap: %+v, want a pair again", e)
	}
	p.Gap()
	e = exit(9, 39, 150)
	p.Exit(e)
	if e.Flags != NoArgs {
		t.Errorf("an unknown task behind a gap: flags %b, want NoArgs: it may be lost and not resumed", e.Flags)
	}
}

func TestAnExitIsNotJoinedWithTheEntryOfAnotherCall(t *testing.T) {
	var p Pairer
	p.Enter(entry(7, 1, 100), false)
	e := exit(7, 2, 120)
	p.Exit(e)
	if e.Flags != NoArgs || e.NR != 2 {
		t.Errorf("got %+v, want call 2 without arguments", e)
	}
}

func TestAnEntryThatComesAfterItsExitIsDropped(t *testing.T) {
	var p Pairer
	p.Exit(exit(7, 1, 200))
	if p.Enter(entry(7, 1, 150), false) {
		t.Error("a late entry was taken")
	}
	e := exit(7, 1, 300)
	p.Exit(e)
	if e.Flags&HasEnter != 0 {
		t.Errorf("the next call was joined with a late entry: %+v", e)
	}
}

func TestSigreturnGetsItsNumberFromItsEntry(t *testing.T) {
	var p Pairer
	p.Enter(entry(7, 15, 100), false)
	e := exit(7, NoNumber, 110)
	p.Exit(e)
	if e.NR != 15 || e.Flags != HasEnter {
		t.Errorf("got %+v, want call 15", e)
	}
}

func TestAnExecveReturnsInTheNewImageWithTheABIOfItsEntry(t *testing.T) {
	var p Pairer
	p.Enter(entry(7, 59, 100), true)
	e := exit(7, 11, 110)
	e.ABI = Compat
	p.Exit(e)
	if e.NR != 59 || e.ABI != Native || e.Flags != HasEnter {
		t.Errorf("got %+v, want native call 59", e)
	}
}

func TestAThreadThatCallsExecveBecomesTheLeader(t *testing.T) {
	var p Pairer
	p.Enter(entry(5, 202, 90), false) // the leader waits
	p.Enter(entry(7, 59, 100), true)
	p.Exit(exit(5, 202, 105)) // it is ended
	p.Died(5, &Event{})
	if old := p.Exec(5); old != 7 {
		t.Errorf("the old tid is %d, want 7", old)
	}
	e := exit(5, 59, 110)
	p.Exit(e)
	if e.Flags != HasEnter || e.Enter != 100 || e.TID != 5 {
		t.Errorf("got %+v, want the execve that task 7 began, as task 5", e)
	}
	if tasks, inside := p.Len(); tasks != 1 || inside != 0 {
		t.Errorf("%d tasks, %d in a call; want 1, 0", tasks, inside)
	}
	p.Enter(entry(5, 59, 120), true)
	if old := p.Exec(5); old != 5 {
		t.Errorf("the leader's own execve: old tid %d, want 5", old)
	}
}

func TestATaskThatDiesInsideACallWillNotReturn(t *testing.T) {
	var p Pairer
	var e Event
	p.Enter(entry(7, 1, 100), false)
	if inside, had := p.Died(7, &e); !inside || !had || e.Kind != KindNoReturn || e.NR != 1 || e.Args[0] != 100 {
		t.Errorf("inside %v, had %v, %+v; want the call as KindNoReturn", inside, had, e)
	}
	p.Enter(entry(7, 1, 200), false)
	p.Gap()
	if inside, had := p.Died(7, &e); inside || !had {
		t.Errorf("behind a gap: inside %v, had %v; want false, true", inside, had)
	}
	if inside, had := p.Died(7, &e); inside || had {
		t.Errorf("an unknown task: inside %v, had %v; want false, false", inside, had)
	}
}

func TestUnfinishedCallsArePending(t *testing.T) {
	var p Pairer
	p.Enter(entry(7, 1, 100), false)
	p.Enter(entry(8, 2, 200), false)
	told := entry(9, 3, 50)
	told.Kind = KindEnter
	p.Enter(told, false)
	got := p.Pending(150, nil)
	if len(got) != 1 || got[0].TID != 7 || got[0].Since != 100 || got[0].Kind != KindEnter {
		t.Errorf("got %+v, want the call of task 7", got)
	}
}

func TestPairingDoesNotAllocateOnceTasksAreKnown(t *testing.T) {
	var p Pairer
	in, out := entry(0, 1, 0), exit(0, 1, 0)
	var e Event
	for tid := range uint32(100) {
		p.Born(tid, 5)
	}
	now := uint64(0)
	if n := testing.AllocsPerRun(100, func() {
		for tid := range uint32(100) {
			now++
			in.TID, in.Time, out.TID, out.Time = tid, now, tid, now
			p.Enter(in, false)
			p.Exit(out)
		}
		p.Died(3, &e)
		p.Born(3, 5)
	}); n != 0 {
		t.Errorf("%v allocations for 100 calls, a death and a birth", n)
	}
}
