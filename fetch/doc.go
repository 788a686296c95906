// Package fetch owns the way out to web pages: it reads what owners name,
// safely (no private network is ever reached, everything is bounded) and
// politely (robots.txt, one request at a time to a host).
//
// It knows no database and extracts nothing: a page is its bytes. A crawl is
// driven from outside; [Normalize], [Rules] and [Fetcher.Discover] are what it
// needs from here. Every failure is a fault of core/fault with a sentence for
// the owner: Upstream when trying later makes sense, Invalid when not.
package fetch
