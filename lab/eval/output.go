package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// showJSON prints a value as indented JSON.
func showJSON(out io.Writer, value any) error {
	if err := json.MarshalWrite(out, value, jsontext.WithIndent("  ")); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out)
	return err
}

// showRecord prints named values, one per line, or a value as JSON.
func showRecord(out io.Writer, asJSON bool, value any, rows [][2]string) error {
	if asJSON {
		return showJSON(out, value)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
	}
	return w.Flush()
}

// showTable prints rows under a header.
func showTable[Row any](out io.Writer, values []Row, head []string, cells func(Row) []string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.ToUpper(strings.Join(head, "\t")))
	for _, value := range values {
		fmt.Fprintln(w, strings.Join(cells(value), "\t"))
	}
	return w.Flush()
}
