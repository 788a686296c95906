package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
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

// show1 prints a sentence, or a value as JSON.
func show1(out io.Writer, asJSON bool, value any, sentence string) error {
	if asJSON {
		return showJSON(out, value)
	}
	_, err := fmt.Fprintln(out, sentence)
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

// showTable prints rows under a header, or a value as JSON.
func showTable(out io.Writer, asJSON bool, value any, head []string, rows [][]string) error {
	if asJSON {
		return showJSON(out, value)
	}
	w := newTable(out, head)
	for _, cells := range rows {
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

func newTable(out io.Writer, head []string) *tabwriter.Writer {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.ToUpper(strings.Join(head, "\t")))
	return w
}

// alignedRows is how many rows of a long table are aligned with one another.
const alignedRows = 1_000

// showList is showTable for a list that may be long: it prints while it reads, and ends
// with the list's error.
func showList[Row, View any](out io.Writer, asJSON bool, list iter.Seq2[Row, error], view func(Row) View, head []string, cells func(View) []string) error {
	if asJSON {
		return showArray(out, list, view)
	}
	w, rows := newTable(out, head), 0
	for row, err := range list {
		if err != nil {
			return errors.Join(w.Flush(), err)
		}
		fmt.Fprintln(w, strings.Join(cells(view(row)), "\t"))
		if rows++; rows%alignedRows == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

func showArray[Row, View any](out io.Writer, list iter.Seq2[Row, error], view func(Row) View) error {
	to := jsontext.NewEncoder(out, jsontext.WithIndent("  "))
	if err := to.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for row, err := range list {
		if err != nil {
			return err
		}
		if err := json.MarshalEncode(to, view(row)); err != nil {
			return err
		}
	}
	return to.WriteToken(jsontext.EndArray)
}
