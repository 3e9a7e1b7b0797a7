package main

import (
	"strings"
)

// parse reads a command line (without argv[0]) the way getopt_long(3) does for
// strace: parsing stops at the first word that is no option, letters may be
// bundled, long options may be abbreviated as far as they stay unambiguous, and
// an optional argument must be joined to its option. pflag knows neither
// abbreviations nor which spelling was used, and drops the "=" of "-I=x".
func parse(args []string) (*config, error) {
	c := newConfig()
	table := options()
	for len(args) > 0 {
		word := args[0]
		if len(word) < 2 || word[0] != '-' {
			break
		}
		args = args[1:]
		if word == "--" {
			break
		}
		var err error
		if strings.HasPrefix(word, "--") {
			args, err = c.parseLong(table, word[2:], args)
		} else {
			args, err = c.parseLetters(table, word[1:], args)
		}
		if err != nil {
			return nil, err
		}
		if c.showHelp {
			return c, nil
		}
	}
	if len(args) > 0 {
		c.command = args
	}
	return c, nil
}

// parseLong reads one --option and returns the words behind it.
func (c *config) parseLong(table []option, word string, rest []string) ([]string, error) {
	name, arg, joined := strings.Cut(word, "=")
	o, full, err := findLong(table, name)
	if err != nil {
		return nil, err
	}
	switch {
	case joined && o.arg == "":
		return nil, badUsage("option '--%s' doesn't allow an argument", full)
	case !joined && o.arg == "" || !joined && o.optional:
		arg = o.missing
	case !joined:
		if len(rest) == 0 {
			return nil, badUsage("option '--%s' requires an argument", full)
		}
		arg, rest = rest[0], rest[1:]
	}
	if o.refuse {
		c.refuse(o, "--"+full)
	}
	if o.notYet {
		c.notYet = append(c.notYet, "--"+full)
	}
	return rest, invalid(o.set(c, arg), "--"+full, arg)
}

// parseLetters reads a word of letters and returns the words behind it.
func (c *config) parseLetters(table []option, word string, rest []string) ([]string, error) {
	for word != "" {
		letter := word[0]
		word = word[1:]
		o := findLetter(table, letter)
		if o == nil {
			return nil, badUsage("invalid option -- '%c'", letter)
		}
		set, arg := o.set, o.missing
		if o.letter != nil {
			set = o.letter
		}
		if o.letterTakes() {
			switch {
			case word != "":
				arg, word = word, ""
			case len(rest) > 0:
				arg, rest = rest[0], rest[1:]
			default:
				return nil, badUsage("option requires an argument -- '%c'", letter)
			}
		}
		if o.refuse {
			c.refuse(o, "-"+string(letter))
		}
		if o.notYet {
			c.notYet = append(c.notYet, "-"+string(letter))
		}
		if err := invalid(set(c, arg), "-"+string(letter), arg); err != nil {
			return nil, err
		}
		if c.showHelp {
			return rest, nil
		}
	}
	return rest, nil
}

func findLetter(table []option, letter byte) *option {
	for i := range table {
		if table[i].short == letter {
			return &table[i]
		}
	}
	return nil
}

// findLong finds the option that name is, or that it is the beginning of.
func findLong(table []option, name string) (o *option, full string, err error) {
	var found []string
	for i := range table {
		for _, n := range table[i].names() {
			if n == name {
				return &table[i], n, nil
			}
			if strings.HasPrefix(n, name) {
				found = append(found, "'--"+n+"'")
				if o == nil || o == &table[i] {
					if o == nil {
						full = n
					}
					o = &table[i]
				}
			}
		}
	}
	if o == nil {
		return nil, "", badUsage("unrecognized option '--%s'", name)
	}
	for _, n := range found {
		if !o.has(n[3 : len(n)-1]) {
			return nil, "", badUsage("option '--%s' is ambiguous; possibilities: %s", name, strings.Join(found, " "))
		}
	}
	return o, full, nil
}

// errArgument is returned by the setters of options for an argument that is
// simply wrong; parse makes the message of it.
type errArgument struct{}

func (errArgument) Error() string { return "invalid argument" }

// invalid makes strace's message of an errArgument.
func invalid(err error, option, arg string) error {
	if _, ok := err.(errArgument); ok {
		return badUsage("invalid %s argument: '%s'", option, arg)
	}
	return err
}
