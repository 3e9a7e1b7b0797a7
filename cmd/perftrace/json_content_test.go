package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// This file compares an object of --json with the line of the same call: it walks
// through the object and takes from the line the text of each value. The line
// decides about the base of numbers, which the object does not know.

// A member is one of an object's, whose order counts.
type member struct {
	key   string
	value any
}

// ordered reads the next value: []member, []any, string, json.Number, bool, nil.
func ordered(d *json.Decoder) (any, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		list := []member{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := ordered(d)
			if err != nil {
				return nil, err
			}
			list = append(list, member{key.(string), v})
		}
		_, err = d.Token()
		return list, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := ordered(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return tok, nil
}

func get(list []member, key string) (any, bool) {
	for _, m := range list {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

// bytesOf are the bytes of a text.
func bytesOf(t *testing.T, v any) string {
	t.Helper()
	if m, ok := v.(map[string]any); ok {
		if s, ok := m["text"].(string); ok {
			return s
		}
		s, _ := m["base64"].(string)
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	s, _ := v.(string)
	return s
}

// A reader takes text from the front of a line.
type reader struct{ rest string }

func (r *reader) take(s string) error {
	rest, ok := strings.CutPrefix(r.rest, s)
	if !ok {
		return fmt.Errorf("want %q, the line has %q", s, head(r.rest))
	}
	r.rest = rest
	return nil
}

func head(s string) string { return s[:min(len(s), 60)] }

func (r *reader) is(s string) bool { return strings.HasPrefix(r.rest, s) }

var (
	commentText = regexp.MustCompile(`^ /\* [^*]* \*/`)
	numberText  = regexp.MustCompile(`^(0x[0-9a-f]+|-?[0-9]+)`)
	product     = regexp.MustCompile(`^([0-9]+)\*([0-9]+)`)
	fraction    = regexp.MustCompile(`^-?[0-9]+\.[0-9]+`)
)

func (r *reader) comment() { r.rest = r.rest[len(commentText.FindString(r.rest)):] }

// quoted takes a string in quotes.
func (r *reader) quoted() (string, error) {
	if err := r.take(`"`); err != nil {
		return "", err
	}
	var b []byte
	for i := 0; i < len(r.rest); i++ {
		c := r.rest[i]
		switch {
		case c == '"':
			r.rest = r.rest[i+1:]
			return string(b), nil
		case c != '\\':
			b = append(b, c)
			continue
		}
		i++
		if i == len(r.rest) {
			break
		}
		if at := strings.IndexByte("tnvfr\"\\", r.rest[i]); at >= 0 {
			b = append(b, "\t\n\v\f\r\"\\"[at])
			continue
		}
		if r.rest[i] == 'x' && i+2 < len(r.rest) {
			n, err := strconv.ParseUint(r.rest[i+1:i+3], 16, 8)
			if err != nil {
				return "", err
			}
			b, i = append(b, byte(n)), i+2
			continue
		}
		n, digits := 0, 0
		for ; digits < 3 && i < len(r.rest) && r.rest[i] >= '0' && r.rest[i] <= '7'; digits++ {
			n = n<<3 | int(r.rest[i]-'0')
			i++
		}
		if digits == 0 {
			return "", fmt.Errorf("unknown escape in %q", head(r.rest))
		}
		b, i = append(b, byte(n)), i-1
	}
	return "", io.ErrUnexpectedEOF
}

func (r *reader) number(n json.Number) error {
	if p := product.FindStringSubmatch(r.rest); p != nil { // 8192*1024
		r.rest = r.rest[len(p[0]):]
		a, _ := strconv.ParseUint(p[1], 10, 64)
		b, _ := strconv.ParseUint(p[2], 10, 64)
		if strconv.FormatUint(a*b, 10) != string(n) {
			return fmt.Errorf("want %s, the line has %s", n, p[0])
		}
		return nil
	}
	text := numberText.FindString(r.rest)
	if f := fraction.FindString(r.rest); f != "" && strings.Contains(string(n), ".") {
		text = f
	}
	r.rest = r.rest[len(text):]
	defer r.comment()
	if text == string(n) {
		return nil
	}
	got, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return fmt.Errorf("want %s, the line has %q", n, text)
	}
	// A negative number of any width may stand there in hex.
	if v, err := strconv.ParseInt(string(n), 10, 64); err == nil && (uint64(v) == got || uint64(uint32(v)) == got && v < 0) {
		return nil
	}
	if v, err := strconv.ParseUint(string(n), 10, 64); err == nil && v == got {
		return nil
	}
	return fmt.Errorf("want %s, the line has %q", n, text)
}

// value takes the text of v.
func (r *reader) value(v any) error {
	switch v := v.(type) {
	case nil:
		return r.take("NULL")
	case json.Number:
		return r.number(v)
	case string:
		if !r.is(`"`) { // a symbol
			defer r.comment()
			return r.take(v)
		}
		s, err := r.quoted()
		if err == nil && s != v {
			err = fmt.Errorf("want %q, the line has %q", v, s)
		}
		return err
	case []any:
		return r.list("[", v, ", ", "]")
	case []member:
		return r.object(v)
	}
	return fmt.Errorf("%v in an object", v)
}

func (r *reader) list(begin string, values []any, sep, end string) error {
	if err := r.take(begin); err != nil {
		return err
	}
	for i, v := range values {
		if i > 0 {
			if err := r.take(sep); err != nil {
				return err
			}
		}
		if r.is("[") { // an index, perhaps
			if at := strings.Index(r.rest, "]="); at > 0 && !strings.ContainsAny(r.rest[:at], `,{" `) {
				r.rest = r.rest[at+2:]
			}
		}
		if err := r.value(v); err != nil {
			return err
		}
		r.comment()
	}
	return r.take(end)
}

func (r *reader) object(list []member) error {
	has := func(key string) (any, bool) { return get(list, key) }
	if v, ok := has("addr"); ok && len(list) == 1 {
		defer r.comment()
		return r.take(v.(string))
	}
	if raw, ok := has("raw"); ok && len(list) == 2 {
		defer r.comment()
		if v, ok := has("expr"); ok {
			return r.take(v.(string))
		}
		if v, ok := has("name"); ok {
			return r.take(v.(string))
		}
		names, _ := has("flags")
		return r.flags(names.([]any), raw.(json.Number))
	}
	if v, ok := has("call"); ok && len(list) == 2 {
		params, _ := has("params")
		return r.list(v.(string)+"(", params.([]any), ", ", ")")
	}
	if v, ok := has("in"); ok && len(list) == 2 {
		after, _ := has("out")
		return errors.Join(r.value(v), r.take(" => "), r.value(after))
	}
	if v, ok := has("set"); ok && len(list) == 1 {
		return r.list("[", v.([]any), " ", "]")
	}
	if v, ok := has("not"); ok && len(list) == 1 {
		return r.list("~[", v.([]any), " ", "]")
	}
	if n, ok := has("fd"); ok && len(list) >= 2 && list[1].key == "file" {
		var err error
		if n.(json.Number) == "-100" && r.is("AT_FDCWD") {
			err = r.take("AT_FDCWD")
		} else {
			err = r.take(string(n.(json.Number)))
		}
		end := ">"
		if _, gone := has("deleted"); gone {
			end = ">(deleted)"
		}
		return errors.Join(err, r.take("<"+list[1].value.(string)+end))
	}
	text, isText := has("text")
	coded, isCoded := has("base64")
	if _, cut := has("cut"); isText && cut || isCoded {
		want, _ := text.(string)
		if isCoded {
			b, err := base64.StdEncoding.DecodeString(coded.(string))
			if err != nil {
				return err
			}
			want = string(b)
		}
		s, err := r.quoted()
		if err == nil && s != want {
			err = fmt.Errorf("want %q, the line has %q", want, s)
		}
		if cut {
			err = errors.Join(err, r.take("..."))
		}
		return err
	}
	if err := r.take("{"); err != nil {
		return err
	}
	for i, m := range list {
		if i > 0 {
			if err := r.take(", "); err != nil {
				return err
			}
		}
		if m.key == "..." {
			if err := r.take("..."); err != nil {
				return err
			}
			continue
		}
		if err := errors.Join(r.take(m.key+"="), r.value(m.value)); err != nil {
			return err
		}
		r.comment()
	}
	return r.take("}")
}

// flags takes the names, and what remains as a number.
func (r *reader) flags(names []any, raw json.Number) error {
	for i, n := range names {
		if i > 0 {
			if err := r.take("|"); err != nil {
				return err
			}
		}
		if err := r.take(n.(string)); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return r.number(raw)
	}
	if r.is("|") {
		r.rest = r.rest[1:]
		n := numberText.FindString(r.rest)
		if n == "" {
			return fmt.Errorf("a flag that the object has not: %q", head(r.rest))
		}
		r.rest = r.rest[len(n):]
	}
	return nil
}

// sameContent says what an object of a call that returned and its line do not
// have in common.
func sameContent(object, line string) error {
	d := json.NewDecoder(strings.NewReader(object))
	d.UseNumber()
	v, err := ordered(d)
	if err != nil {
		return err
	}
	call, r := v.([]member), &reader{line}
	name, _ := get(call, "name")
	if err := r.take(name.(string) + "("); err != nil {
		return err
	}
	args, _ := get(call, "args")
	for i, m := range args.([]member) {
		if i > 0 {
			if err := r.take(", "); err != nil {
				return err
			}
		}
		r.rest = strings.TrimPrefix(r.rest, m.key+"=") // clone's have names
		if err := r.value(m.value); err != nil {
			return fmt.Errorf("%s: %w", m.key, err)
		}
	}
	if err := r.take(") = "); err != nil {
		return err
	}
	ret, _ := get(call, "ret")
	if errno, failed := get(call, "errno"); failed {
		if name, known := errno.(string); known && strings.HasPrefix(name, "ERESTART") {
			return r.take("? " + name)
		}
		return r.take(fmt.Sprintf("-1 %v (", errno))
	}
	if fd, ok := get(call, "ret_fd"); ok {
		err = r.value(fd)
	} else {
		err = r.number(ret.(json.Number))
	}
	if text, ok := get(call, "ret_text"); ok {
		err = errors.Join(err, r.take(" ("+text.(string)+")"))
	}
	if err == nil && r.rest != "" {
		err = fmt.Errorf("only the line has %q", r.rest)
	}
	return err
}
