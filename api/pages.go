package api

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/knowledge/browse"
)

// pageData says how a list goes on. It is left out where the whole list was asked
// for.
type pageData struct {
	HasMore *bool   `json:"has_more,omitzero"`
	Next    *string `json:"next,omitzero"`
}

// sliceOf reads limit and after. Without them the whole list is wanted.
func sliceOf(c *fiber.Ctx) (slice browse.Slice, paged bool, err error) {
	limit, after := c.Query("limit"), c.Query("after")
	slice.Limit = browse.MostRows
	if limit != "" {
		slice.Limit, err = strconv.Atoi(limit)
		if err != nil || slice.Limit < 1 || slice.Limit > browse.MostRows {
			return slice, false, fault.InField("limit", "limit must be a whole number from 1 to %d.", browse.MostRows)
		}
	}
	slice.After, err = browse.ParseCursor("after", after)
	return slice, limit != "" || after != "", err
}

// pageOf says how a list goes on after its last row.
func pageOf(more bool, last func() browse.Cursor) pageData {
	page := pageData{HasMore: &more}
	if more {
		next := last().String()
		page.Next = &next
	}
	return page
}
