package api

// mapSlice returns what convert makes of each item. It never returns nil, so that JSON has
// an empty array and not null.
func mapSlice[Item, Wire any](items []Item, convert func(Item) Wire) []Wire {
	out := make([]Wire, len(items))
	for i, item := range items {
		out[i] = convert(item)
	}
	return out
}
