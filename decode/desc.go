package decode

// descRows are the calls on plain descriptors.
var descRows = []Row{
	{Name: "read", Args: args{{"fd", fd}, {"buf", outBuf}, {"count", size}}},
	{Name: "write", Args: args{{"fd", fd}, {"buf", inBuf(2)}, {"count", size}}},
	{Name: "close", Args: args{{"fd", fd}}},
}
