package snapshot

import (
	"cmp"
	"errors"
	"slices"

	"parley/core/backup"
	"parley/core/backup/archive"
)

// table is a table as the catalog has it.
type table struct {
	archive.Table
	// key are the columns of the primary key, in its order.
	key []string
	// refersTo are the tables that its foreign keys name.
	refersTo []string
	// number is the column that the database numbers rows in, or empty.
	number string
}

// finish sorts the columns, so that a table is described alike whatever has changed it.
func (t *table) finish() {
	slices.SortFunc(t.Columns, func(a, b archive.Column) int { return cmp.Compare(a.Name, b.Name) })
}

func isLeftOut(name string) bool {
	_, out := backup.LeftOut[name]
	return out
}

// inOrder sorts tables by name, each after those that it refers to.
func inOrder(tables []table) (ordered []table, err error) {
	slices.SortFunc(tables, func(a, b table) int { return cmp.Compare(a.Name, b.Name) })
	done := map[string]bool{}
	ready := func(t table) bool {
		return !done[t.Name] && !slices.ContainsFunc(t.refersTo, func(name string) bool { return !done[name] && name != t.Name })
	}
	for len(ordered) < len(tables) {
		before := len(ordered)
		for _, t := range tables {
			if ready(t) {
				done[t.Name] = true
				ordered = append(ordered, t)
			}
		}
		if len(ordered) == before {
			return nil, errors.New("the foreign keys of the tables go round in a circle")
		}
	}
	return ordered, nil
}

func columnNames(t archive.Table) []string {
	all := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		all[i] = column.Name
	}
	return all
}

// find returns a table of a catalog.
func find(tables []table, name string) table {
	i := slices.IndexFunc(tables, func(t table) bool { return t.Name == name })
	return tables[i]
}
