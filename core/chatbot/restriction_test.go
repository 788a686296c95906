package chatbot_test

import (
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/chatbot"
	"parley/core/fault"
)

func TestParseRange(t *testing.T) {
	for written, want := range map[string]string{
		"192.0.2.0/24": "192.0.2.0/24", " 192.0.2.7/24 ": "192.0.2.0/24", "192.0.2.7/32": "192.0.2.7/32", "0.0.0.0/0": "0.0.0.0/0",
		"2001:DB8::1/32": "2001:db8::/32", "::ffff:192.0.2.0/120": "192.0.2.0/24",
	} {
		if got, err := chatbot.ParseRange(written); err != nil || got.String() != want {
			t.Errorf("%q is %v, %v, want %s", written, got, err, want)
		}
	}
	for _, wrong := range []string{"", "192.0.2.7", "192.0.2.0/33", "192.0.2.0-192.0.2.9", "example.com", "fe80::%eth0/64", "192.0.2.0/24, 10.0.0.0/8", "192.0.2.0/-1"} {
		if _, err := chatbot.ParseRange(wrong); fault.As(err).Code() != fault.BadIPRange || fault.As(err).Field != "ip_ranges" {
			t.Errorf("%q gives %v", wrong, err)
		}
	}
}

func TestParseOrigin(t *testing.T) {
	for written, want := range map[string]string{
		"https://shop.example": "https://shop.example", " HTTPS://Shop.Example ": "https://shop.example", "https://shop.example:443": "https://shop.example",
		"http://shop.example:80": "http://shop.example", "http://shop.example:443": "http://shop.example:443", "http://localhost:3000": "http://localhost:3000",
		"http://127.0.0.1:8080": "http://127.0.0.1:8080", "http://[::1]:8080": "http://[::1]:8080", "https://xn--bcher-kva.example": "https://xn--bcher-kva.example",
	} {
		if got, err := chatbot.ParseOrigin(written); err != nil || got != want {
			t.Errorf("%q is %q, %v, want %s", written, got, err, want)
		}
	}
	for _, wrong := range []string{
		"", "*", "null", "shop.example", "https://", "https://shop.example/", "https://shop.example/app", "https://shop.example?x", "https://shop.example#x", "https://me@shop.example",
		"ftp://shop.example", "https://*.shop.example", "https://shop.example:", "https://shop.example:0", "https://shop.example:65536", "https://shop.example:080", "https://bücher.example",
		"https://shop example", "https://a b", "file://", "https://shop.example https://other.example", "javascript:alert(1)", "https://[::1", "https://[1.2.3.4]", "https://[fe80::1%25eth0]", "https://" + strings.Repeat("a", 300) + ".example",
	} {
		if got, err := chatbot.ParseOrigin(wrong); fault.As(err).Code() != fault.BadOrigin || fault.As(err).Field != "origins" {
			t.Errorf("%q is %q, %v", wrong, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if origin, err := chatbot.ParseOrigin(rapid.String().Draw(t, "origin")); err == nil {
			if again, err := chatbot.ParseOrigin(origin); err != nil || again != origin {
				t.Fatalf("%q becomes %q, %v", origin, again, err)
			}
		}
	})
}

func TestAdmits(t *testing.T) {
	secret := chatbot.Token{Kind: chatbot.SecretToken}
	office := secret
	office.IPRanges = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	broken := secret
	broken.IPRanges = []netip.Prefix{{}}
	shop := chatbot.Token{Kind: chatbot.PublishableToken, Restrictions: chatbot.Restrictions{Origins: []string{"https://shop.example", "http://localhost:3000"}}}
	shopInside := shop
	shopInside.IPRanges = office.IPRanges
	from := func(address, origin string) chatbot.Use { return chatbot.Use{Address: address, Origin: origin} }
	for sentence, c := range map[string]struct {
		token chatbot.Token
		use   chatbot.Use
		want  fault.Code
	}{
		"a secret token without restrictions works anywhere":       {secret, from("203.0.113.9", ""), ""},
		"a secret token does not work in a browser":                {secret, from("203.0.113.9", "https://shop.example"), fault.SecretInBrowser},
		"nor on a page without an origin":                          {secret, from("203.0.113.9", "null"), fault.SecretInBrowser},
		"but on pages of this server":                              {secret, chatbot.Use{Origin: "https://parley.example", Own: true}, ""},
		"a range admits its addresses":                             {office, from("192.0.2.255", ""), ""},
		"an address that is mapped into IPv6 is IPv4":              {office, from("::ffff:192.0.2.1", ""), ""},
		"one of IPv6 too":                                          {office, from("2001:db8::1", ""), ""},
		"and no other address":                                     {office, from("192.0.3.0", ""), fault.AddressNotAllowed},
		"an unknown address is none of them":                       {office, from("", ""), fault.AddressNotAllowed},
		"a range that cannot be read admits nobody":                {broken, from("192.0.2.1", ""), fault.AddressNotAllowed},
		"a publishable token works on pages of its origins":        {shop, from("203.0.113.9", "http://localhost:3000"), ""},
		"and not on others":                                        {shop, from("203.0.113.9", "https://shop.example.evil.example"), fault.OriginNotAllowed},
		"a subdomain is another origin":                            {shop, from("203.0.113.9", "https://www.shop.example"), fault.OriginNotAllowed},
		"HTTP is another origin":                                   {shop, from("203.0.113.9", "http://shop.example"), fault.OriginNotAllowed},
		"it does not work outside of browsers":                     {shop, from("203.0.113.9", ""), fault.OriginNotAllowed},
		"nor on pages of this server, unless they are its origins": {shop, chatbot.Use{Origin: "https://parley.example", Own: true}, fault.OriginNotAllowed},
		"its ranges hold as well":                                  {shopInside, from("203.0.113.9", "https://shop.example"), fault.AddressNotAllowed},
	} {
		t.Run(sentence, func(t *testing.T) {
			err := (&chatbot.Principal{Token: c.token}).Admits(c.use)
			if c.want == "" && err != nil || c.want != "" && (!fault.Is(err, fault.Forbidden) || fault.As(err).Code() != c.want) {
				t.Errorf("it gives %v, want %q", err, c.want)
			}
		})
	}
}

func TestNewTokensAreChecked(t *testing.T) {
	r := newRig(t)
	origins := []string{"https://shop.example"}
	many := make([]string, 51)
	for i := range many {
		many[i] = "https://a" + strings.Repeat("b", i) + ".example"
	}
	for sentence, c := range map[string]struct {
		request chatbot.NewToken
		field   string
		code    fault.Code
	}{
		"a kind that is none":                        {chatbot.NewToken{Kind: "public"}, "kind", "invalid_request"},
		"a publishable token without an origin":      {chatbot.NewToken{Kind: chatbot.PublishableToken}, "origins", fault.OriginsRequired},
		"a publishable token with another scope":     {chatbot.NewToken{Kind: chatbot.PublishableToken, Scopes: chatbot.AllScopes(), Restrictions: chatbot.Restrictions{Origins: origins}}, "scopes", "invalid_request"},
		"an origin with a path":                      {chatbot.NewToken{Kind: chatbot.PublishableToken, Restrictions: chatbot.Restrictions{Origins: []string{"https://shop.example/app"}}}, "origins", fault.BadOrigin},
		"too many origins":                           {chatbot.NewToken{Kind: chatbot.PublishableToken, Restrictions: chatbot.Restrictions{Origins: many}}, "origins", "invalid_request"},
		"a secret token with an origin":              {chatbot.NewToken{Restrictions: chatbot.Restrictions{Origins: origins}}, "origins", "invalid_request"},
		"a secret token with a limit for visitors":   {chatbot.NewToken{Restrictions: chatbot.Restrictions{VisitorRequestsPerMinute: 1}}, "visitor_requests_per_minute", "invalid_request"},
		"a limit below nothing":                      {chatbot.NewToken{Restrictions: chatbot.Restrictions{RequestsPerMinute: -1}}, "requests_per_minute", "invalid_request"},
		"a limit of more messages than there can be": {chatbot.NewToken{Restrictions: chatbot.Restrictions{MessagesPerMonth: 1_000_000_001}}, "messages_per_month", "invalid_request"},
		"a note that is too long":                    {chatbot.NewToken{Note: strings.Repeat("n", 1001)}, "note", "invalid_request"},
	} {
		t.Run(sentence, func(t *testing.T) {
			_, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, c.request)
			if !fault.Is(err, fault.Invalid) || fault.As(err).Field != c.field || fault.As(err).Code() != c.code {
				t.Errorf("it gives %v, %+v", err, fault.As(err))
			}
		})
	}
	token, secret, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{Kind: chatbot.PublishableToken, Restrictions: chatbot.Restrictions{Origins: append(origins, "HTTPS://shop.example:443")}})
	if err != nil || !strings.HasPrefix(secret, "parley_pub_") || len(token.Origins) != 1 || token.VisitorRequestsPerMinute != chatbot.DefaultVisitorRequests || len(token.Scopes) != 1 {
		t.Errorf("a publishable token is %+v: %v", token, err)
	}
	r.wantAuthenticated(secret, nil)
}
