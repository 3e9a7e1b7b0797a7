// Genxlat writes the tables of package decode/xlat: one z*.go for each *.x,
// with the values of the names taken from values.tsv, a snapshot of the
// kernel's headers. The form of the specs is described in decode/xlat/doc.go.
//
// Usage, in decode/xlat (go generate):  genxlat
// Usage, in this directory:             genxlat -snapshot DIR
//
// DIR holds an unpacked linux-libc-dev package of Debian, whose usr/include has
// the headers of all architectures.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("genxlat: ")
	headers := flag.String("snapshot", "", "renew values.tsv, in the current directory, from the uapi headers below this directory, and stop")
	dir := flag.String("dir", ".", "where the specs are and the generated files go")
	table := flag.String("values", "../internal/genxlat/values.tsv", "the snapshot")
	flag.Parse()
	if *headers != "" {
		if err := writeSnapshot(*headers, "values.tsv"); err != nil {
			log.Fatal(err)
		}
		return
	}
	files, err := generate(*dir, *table)
	if err != nil {
		log.Fatal(err)
	}
	old, err := filepath.Glob(filepath.Join(*dir, "z*.go"))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range old {
		if _, ok := files[filepath.Base(f)]; !ok {
			if err := os.Remove(f); err != nil {
				log.Fatal(err)
			}
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(*dir, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
