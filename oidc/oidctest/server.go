// Package oidctest is an identity provider for tests that lies when it is told to: it
// forgets to verify addresses, answers for others, and signs what it should not. A real
// one, which cannot misbehave, is started by the whole-program tests.
package oidctest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// The client that the provider knows.
const (
	ClientID     = "parley"
	ClientSecret = "the-secret-of-parley"
)

// Server is an identity provider on a port of loopback.
type Server struct {
	*httptest.Server
	mu     sync.Mutex
	lies   Lies
	claims map[string]any
	codes  map[string]url.Values
	// Seen counts the requests by path.
	seen map[string]int
}

// Lies are what a provider does wrong. The zero value is honest.
type Lies struct {
	// Claims override claims of the ID token; a nil value takes the claim away.
	Claims map[string]any
	// Unsigned says alg none, and Forged signs with a key that is not published.
	Unsigned, Forged bool
	// Issuer is the iss of the answer that the browser brings; empty leaves it out.
	Issuer string
	// NamesIssuer says in the description that every answer has an iss.
	NamesIssuer bool
	// DescribedIssuer replaces the issuer of the description.
	DescribedIssuer string
	// Info replaces the answer of the userinfo endpoint.
	Info map[string]any
	// Error is what the browser brings instead of a code.
	Error string
	// Flood has every endpoint send without end, and Silent has none answer.
	Flood, Silent bool
}

// key is shared by all servers: making one takes long.
var key, forger = sync.OnceValue(newKey), sync.OnceValue(newKey)

func newKey() *rsa.PrivateKey {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return made
}

// New starts a provider at which one person signs in at once, with a verified address.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{codes: map[string]url.Values{}, seen: map[string]int{}}
	s.SignIn("subject-1", "ada@example.com")
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", s.describe)
	mux.HandleFunc("/authorize", s.authorize)
	mux.HandleFunc("/token", s.token)
	mux.HandleFunc("/userinfo", s.info)
	mux.HandleFunc("/jwks", s.keys)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen[r.URL.Path]++
		lies := s.lies
		s.mu.Unlock()
		switch {
		case lies.Silent:
			<-r.Context().Done()
		case lies.Flood:
			flood(w, r)
		default:
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func flood(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 64<<10)); err != nil {
			return
		}
	}
}

// Browse goes to a page of a provider as a browser does, and returns where it is sent
// next.
func Browse(t testing.TB, address string) *url.URL {
	t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	next, err := response.Location()
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// SignIn has another person sign in from now on.
func (s *Server) SignIn(subject, email string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims = map[string]any{"sub": subject, "email": email, "email_verified": true}
}

// Lie has the provider misbehave from now on.
func (s *Server) Lie(lies Lies) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lies = lies
}

// Seen returns how many requests a path has had.
func (s *Server) Seen(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[path]
}

func (s *Server) state() (Lies, map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lies, s.claims
}

func (s *Server) describe(w http.ResponseWriter, _ *http.Request) {
	lies, _ := s.state()
	issuer := s.URL
	if lies.DescribedIssuer != "" {
		issuer = lies.DescribedIssuer
	}
	answer(w, http.StatusOK, map[string]any{
		"issuer": issuer, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token", "jwks_uri": s.URL + "/jwks",
		"userinfo_endpoint": s.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256", "none"}, "response_types_supported": []string{"code"},
		"subject_types_supported": []string{"public"}, "code_challenge_methods_supported": []string{"S256"},
		"authorization_response_iss_parameter_supported": lies.NamesIssuer,
	})
}

// Site is where the provider sends browsers back to, with any path: as a real one, it knows
// where it may.
const Site = "https://parley.example"

// authorize signs the person in without asking.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	lies, _ := s.state()
	asked := r.URL.Query()
	path, registered := strings.CutPrefix(asked.Get("redirect_uri"), Site+"/")
	if !registered {
		http.Error(w, "this address is not registered", http.StatusBadRequest)
		return
	}
	back := url.Values{"state": {asked.Get("state")}}
	if lies.Issuer != "" {
		back.Set("iss", lies.Issuer)
	}
	if lies.Error != "" {
		back.Set("error", lies.Error)
		back.Set("error_description", "<b>words of the provider</b>")
	} else {
		code := rand.Text()
		s.mu.Lock()
		s.codes[code] = asked
		s.mu.Unlock()
		back.Set("code", code)
	}
	http.Redirect(w, r, (&url.URL{Scheme: "https", Host: "parley.example", Path: "/" + path, RawQuery: back.Encode()}).String(), http.StatusFound)
}

// token redeems a code once, for the client that was named and the verifier that belongs
// to the challenge.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	if id != ClientID || secret != ClientSecret {
		answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	s.mu.Lock()
	asked, known := s.codes[r.FormValue("code")]
	delete(s.codes, r.FormValue("code"))
	s.mu.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || asked.Get("code_challenge_method") != "S256" || asked.Get("redirect_uri") != r.FormValue("redirect_uri") ||
		asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
		answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	answer(w, http.StatusOK, map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": s.idToken(asked.Get("nonce"))})
}

func (s *Server) idToken(nonce string) string {
	lies, person := s.state()
	claims := map[string]any{
		"iss": s.URL, "aud": ClientID, "nonce": nonce, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}
	for _, more := range []map[string]any{person, lies.Claims} {
		for name, value := range more {
			claims[name] = value
			if value == nil {
				delete(claims, name)
			}
		}
	}
	header := map[string]any{"alg": "RS256", "kid": "1", "typ": "JWT"}
	if lies.Unsigned {
		header = map[string]any{"alg": "none"}
	}
	text := part(header) + "." + part(claims)
	signer := key()
	switch {
	case lies.Unsigned:
		return text + "."
	case lies.Forged:
		signer = forger()
	}
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(nil, signer, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func part(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func (s *Server) info(w http.ResponseWriter, r *http.Request) {
	lies, person := s.state()
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
		answer(w, http.StatusUnauthorized, map[string]any{})
		return
	}
	if lies.Info != nil {
		person = lies.Info
	}
	answer(w, http.StatusOK, person)
}

func (s *Server) keys(w http.ResponseWriter, _ *http.Request) {
	public := key().PublicKey
	answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256", "n": base64.RawURLEncoding.EncodeToString(public.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(public.E)).Bytes()),
	}}})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		fmt.Println(err)
	}
}
