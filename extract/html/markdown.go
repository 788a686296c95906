package html

import (
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	htmltable "github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
)

// markdownOf converts a tidy element.
func markdownOf(content *node) (string, error) {
	convert := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(
			commonmark.WithHeadingStyle(commonmark.HeadingStyleATX),
			commonmark.WithLinkEmptyContentBehavior(commonmark.LinkBehaviorSkip),
			commonmark.WithListEndComment(false),
		),
		strikethrough.NewStrikethroughPlugin(),
		htmltable.NewTablePlugin(
			htmltable.WithHeaderPromotion(true),
			htmltable.WithSkipEmptyRows(true),
			htmltable.WithSpanCellBehavior(htmltable.SpanBehaviorMirror),
			htmltable.WithCellPaddingBehavior(htmltable.CellPaddingBehaviorMinimal),
		),
	))
	markdown, err := convert.ConvertNode(content)
	return string(markdown), err
}
