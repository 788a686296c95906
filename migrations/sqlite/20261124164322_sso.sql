-- Add the workspace by whose identity provider a person signed in
ALTER TABLE `sessions` ADD COLUMN `sso_workspace_id` text NOT NULL DEFAULT ('');
-- Plans with API access include single sign-on
UPDATE `plans` SET `features` = json_insert(`features`, '$[#]', 'sso') WHERE `features` LIKE '%"api"%' AND `features` NOT LIKE '%"sso"%';
