// Package fetch reads the web pages that owners name: safely (it never reaches a
// private network, and everything is bounded) and politely (it obeys robots.txt,
// and sends a host one request at a time).
//
// It uses no database and extracts nothing: a page is its bytes. Its caller drives
// the crawl with [Normalize], [Rules] and [Fetcher.Discover]. Every failure is a
// fault of core/fault with a sentence for the owner: Upstream if trying later makes
// sense, otherwise Invalid.
package fetch
