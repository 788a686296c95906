package chatbot

import "parley/core/seal"

// withKey gives a provider a key, sealed. An empty one leaves it without.
func withKey(s *seal.Sealer, provider SealedProvider, key Key) (SealedProvider, error) {
	if key == "" {
		return provider, nil
	}
	sealed, err := s.Seal(provider.WorkspaceID, provider.ID, string(key))
	if err != nil {
		return provider, err
	}
	provider.KeyHint, provider.SealedKey = keyHint(key), sealed
	return provider, nil
}

// keyOf returns the key of a provider, or none if it has none.
func keyOf(s *seal.Sealer, provider SealedProvider) (Key, error) {
	if len(provider.SealedKey) == 0 {
		return "", nil
	}
	key, err := s.Unseal(provider.WorkspaceID, provider.ID, provider.SealedKey)
	return Key(key), err
}
