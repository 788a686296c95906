-- How many days of the audit log members read. Plans of before showed all that AUDIT_DAYS keeps
UPDATE `plans` SET `audit_days` = CASE `id` WHEN 'starter' THEN 30 WHEN 'basic' THEN 30 WHEN 'standard' THEN 90 WHEN 'premium' THEN 400 ELSE `audit_days` END;
