-- The table gets the name of its type.
ALTER TABLE `receipts` RENAME TO `usage_records`;
