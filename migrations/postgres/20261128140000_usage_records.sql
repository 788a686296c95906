-- The table gets the name of its type. Servers of the release before find it by the old
-- name until they are replaced: see renamed.go of package store.
ALTER TABLE "receipts" RENAME TO "usage_records";
