package browse

import (
	"context"

	"parley/core/chatbot"
	"parley/text/suggest"
)

const (
	// proposed is how many questions are proposed.
	proposed = 4
	// sampledDocuments is how many documents they are made from, and sampledPassages
	// how many passages at the beginning of each.
	sampledDocuments = 12
	sampledPassages  = 8

	// followUps is how many questions may follow an answer.
	followUps = 3
	// A follow-up question is made from what stands around the first searchedPlaces
	// passages of an answer: so many passages before and after each.
	searchedPlaces                = 4
	passagesBefore, passagesAfter = 2, 5
)

// Greeting is what people see before they ask: in the owner's words, or as
// [Browser.Propose] has it where the owner has none.
func (b *Browser) Greeting(ctx context.Context, bot chatbot.Chatbot) (chatbot.Greeting, error) {
	greeting := bot.Greeting
	if greeting.SuggestNothing {
		greeting.SuggestedQuestions = nil
	}
	isMade := len(greeting.SuggestedQuestions) == 0 && !greeting.SuggestNothing
	if greeting.Welcome != "" && !isMade {
		return greeting, nil
	}
	made, err := b.Propose(ctx, bot)
	if err != nil {
		return greeting, err
	}
	if greeting.Welcome == "" {
		greeting.Welcome = made.Welcome
	}
	if isMade {
		greeting.SuggestedQuestions = made.SuggestedQuestions
	}
	return greeting, nil
}

// Propose makes a greeting from what the chatbot answers from: the beginnings of its
// latest documents, however many there are. Without any it has no questions.
func (b *Browser) Propose(ctx context.Context, bot chatbot.Chatbot) (chatbot.Greeting, error) {
	documents, err := b.lists.Samples(ctx, bot.WorkspaceID, bot.ID, sampledDocuments, sampledPassages)
	if err != nil {
		return chatbot.Greeting{}, err
	}
	read := suggest.Read(documents)
	return chatbot.Greeting{Welcome: read.Welcome(bot.Name), SuggestedQuestions: read.Questions(proposed)}, nil
}

// Place is where a passage of an answer stands.
type Place struct {
	DocumentID string
	Ordinal    int
	Cited      bool
}

// FollowUps are up to three questions that may follow an answer, made from what stands
// around its passages, of which those are first that it cites. See
// [suggest.FollowUps]: asked are the questions of the conversation, the latest last.
func (b *Browser) FollowUps(ctx context.Context, workspaceID, chatbotID string, places []Place, asked []string, answer string) ([]string, error) {
	wanted := wantedPlaces(places)
	if len(wanted) == 0 {
		return nil, nil
	}
	near, err := b.lists.Surroundings(ctx, workspaceID, chatbotID, wanted, passagesBefore, passagesAfter)
	if err != nil {
		return nil, err
	}
	return suggest.FollowUps(asked, answer, near, followUps), nil
}

// wantedPlaces are those whose surroundings are read: the cited ones first.
func wantedPlaces(places []Place) []Place {
	wanted := make([]Place, 0, len(places))
	for _, cited := range []bool{true, false} {
		for _, place := range places {
			if place.Cited == cited {
				wanted = append(wanted, place)
			}
		}
	}
	return wanted[:min(len(wanted), searchedPlaces)]
}
