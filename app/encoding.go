package app

import (
	"context"
	"fmt"
	"time"

	"parley/core/knowledge/encoding"
	"parley/core/retrieval/encoder"
	knowledgestore "parley/store/knowledge"
	"parley/store/servers"
	"parley/text/encode/bge"
)

// Encodes reports whether passages are encoded: if the configuration says so, and where the
// processor is fast enough for questions.
func Encodes(config *Config) bool { return config.Encodes() && bge.Fast() }

// openEncoding has passages encoded and ranked by that, if the configuration says so.
func (p *Program) openEncoding() {
	if !Encodes(p.Config) {
		return
	}
	encodings, model := knowledgestore.NewEncodings(p.Store), encoder.New()
	p.Searcher.EncodeWith(encodings, model)
	p.Browser.EncodeWith(encodings)
	p.Encoding = encoding.New(encodings, accesses.knowledge, model, p.now, throttle{processorTime, wait}.pause)
}

// encodeEvery is how often a process looks whether another one encodes.
const encodeEvery = 5 * time.Second

// encodePassages encodes passages for the rest of the minute, unless another process does that,
// and tells the metrics how many are left.
func (p *Program) encodePassages(ctx context.Context) error {
	minute := thisMinute(p.now())
	begun, err := servers.NewChores(p.Store).BeginChore(ctx, "passages.encode", minute, p.now())
	if err != nil || !begun {
		return err
	}
	before, now := 0, 0
	err = p.Encoding.Work(ctx, minute.Add(time.Minute), func(left int) {
		p.metrics.Unencoded(left)
		before, now = max(before, left), left
	})
	if before > 0 {
		p.Log.Info("passages encoded", "left", now)
	}
	return err
}

// diagnoseEncoding says how many passages are still to be encoded.
func (p *Program) diagnoseEncoding(ctx context.Context) Diagnosis {
	if p.Encoding == nil && p.Config.EmbedModel != "" {
		return Diagnosis{Part: "encoding", OK: true, Detail: "off, since an embedding model makes the vectors"}
	}
	if p.Encoding == nil && p.Config.Encodes() {
		return Diagnosis{Part: "encoding", OK: true, Detail: "off, since this processor has neither AVX2 nor Arm's dot product, and a question would take 50 ms"}
	}
	if p.Encoding == nil {
		return Diagnosis{Part: "encoding", OK: true, Detail: "off, as ENCODE_PASSAGES says"}
	}
	left, err := p.Encoding.Left(ctx)
	detail := "all passages are encoded"
	if left > 0 {
		detail = fmt.Sprintf("%d passages are still to be encoded, in the background of a running server", left)
	}
	return diagnosed("encoding", err, detail, "Check the database.")
}
