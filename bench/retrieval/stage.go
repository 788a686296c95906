package retrieval

import (
	"context"
	"errors"
	"math/rand/v2"
)

// choice says which chatbots are asked.
type choice string

// The choices.
const (
	// One is the only chatbot.
	One choice = "one"
	// Any are asked equally often.
	Any choice = "any"
	// Some are asked more often than others, by a Zipf distribution.
	Some choice = "some more often"
)

// stage is systems that hold the same data and are measured alternately.
type stage struct {
	sizes, yardstick Sizes
	choices          []choice
	load             func(ctx context.Context, s *system, sizes Sizes) error
	chatbots         func(Sizes) (chatbots, each int)
}

// large is one chatbot with much knowledge.
func (b *bench) large(sizes Sizes) stage {
	return stage{
		sizes: sizes, yardstick: b.Yardstick, choices: []choice{One},
		load: func(ctx context.Context, s *system, sizes Sizes) error {
			return b.add(ctx, s, b.corpus.documents(aboutDocuments, 0, documentsFor(sizes.Passages)), writers)
		},
		chatbots: func(sizes Sizes) (int, int) { return 1, documentsFor(sizes.Passages) * perDocument },
	}
}

// many is many chatbots with less. What they hold is prepared once.
func (b *bench) many(sizes Sizes) stage {
	return stage{
		sizes: sizes, yardstick: b.Yardstick, choices: []choice{Any, Some},
		load: func(ctx context.Context, s *system, sizes Sizes) error {
			ports := b.ports
			if s.name == FTS5 {
				ports.Embedder = nil
			}
			ready, err := b.ready(ctx, ports, sizes)
			if err != nil {
				return err
			}
			return b.put(ctx, s, sizes.Chatbots, ready)
		},
		chatbots: func(sizes Sizes) (int, int) { return sizes.Chatbots, documentsFor(sizes.Each) * perDocument },
	}
}

// loaded is a system with its content.
type loaded struct {
	*system
	chatbots, each int
}

// stage loads the system and its yardsticks, and measures them.
func (b *bench) stage(ctx context.Context, st stage, open opener) (err error) {
	var systems []loaded
	defer func() {
		for _, s := range systems {
			err = errors.Join(err, s.close())
		}
	}()
	s, err := b.fill(ctx, st, st.sizes, open)
	if s.system != nil {
		systems = append(systems, s)
	}
	if err != nil {
		return err
	}
	yardsticks, err := b.yardsticks(ctx, st, s)
	systems = append(systems, yardsticks...)
	if err != nil {
		return err
	}
	return b.cells(ctx, st, systems)
}

// yardsticks opens the yardsticks of a system: raw clients on its content, or
// FTS5. The caller closes them even if that fails.
func (b *bench) yardsticks(ctx context.Context, st stage, s loaded) (list []loaded, err error) {
	if s.name != Weaviate {
		y, err := b.fill(ctx, st, st.yardstick, b.openFTS5)
		if y.system != nil {
			list = append(list, y)
		}
		return list, err
	}
	raws, err := b.openRaw(ctx, s.system)
	for _, r := range raws {
		list = append(list, loaded{r, s.chatbots, s.each})
	}
	return list, err
}

// fill opens a system, loads it, and measures its content. The caller closes
// the system even if that fails.
func (b *bench) fill(ctx context.Context, st stage, sizes Sizes, open opener) (loaded, error) {
	before, err := settledMemory()
	if err != nil {
		return loaded{}, err
	}
	s, err := open(ctx, b.dir)
	if err != nil {
		return loaded{}, err
	}
	l := loaded{system: s}
	l.chatbots, l.each = st.chatbots(sizes)
	if err := st.load(ctx, s, sizes); err != nil {
		return l, err
	}
	if err := b.calm(ctx, s); err != nil {
		return l, err
	}
	return l, b.read(ctx, l, before)
}

// cells measures the systems alternately.
func (b *bench) cells(ctx context.Context, st stage, systems []loaded) error {
	for _, c := range st.choices {
		for _, busy := range []bool{false, true} {
			samples := make([]sample, len(systems))
			for range b.Rounds {
				for i, s := range systems {
					if err := b.measure(ctx, s, c, busy, &samples[i]); err != nil {
						return err
					}
				}
			}
			for i, s := range systems {
				cell := newCell(s, c, busy, samples[i])
				b.say("retrieval: %s", cell)
				b.results.Cells = append(b.results.Cells, cell)
			}
		}
	}
	return nil
}

// chooser returns which chatbot is asked next. It is the same in every run.
func (c choice) chooser(chatbots int) func() int {
	random := rand.New(rand.NewPCG(uint64(chatbots), 1))
	switch {
	case chatbots == 1:
		return func() int { return 0 }
	case c == Some:
		often := rand.NewZipf(random, 1.1, 5, uint64(chatbots-1))
		return func() int { return int(often.Uint64()) }
	default:
		return func() int { return random.IntN(chatbots) }
	}
}
