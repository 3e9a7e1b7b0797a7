// Package decode knows what each call means: it turns an event into strace's
// line or a JSON object, and tells the backends which memory to copy for that.
//
// The way of the data:
//
//	row (one a call, in a family file)
//	 ├─ at start:  Plan(options) walks the rows' types → event.CallPlan, given to a backend
//	 └─ per event: Decoder.Args walks the same types → out.Printer → text or JSON
//
// Terms:
//
//	row    all that is known about one call: argument names and types, result
//	type   how a value is taken, printed and, if it points somewhere, captured
//	family the rows and types of one subject, in files of its own
//
// A type never touches captured pieces itself: it asks the Call for the memory
// at an address, and gets it or prints the address.
package decode
