package store

import (
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/tenant"
)

var (
	_ tenant.Store    = (*Store)(nil)
	_ chatbot.Store   = (*Store)(nil)
	_ knowledge.Store = (*Store)(nil)
	_ chat.Store      = (*Store)(nil)
)
