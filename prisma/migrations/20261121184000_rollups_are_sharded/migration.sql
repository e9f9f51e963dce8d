-- The functions of the rollups move to prisma/functions, one file for each rollup; here are their tables and triggers.

DROP TRIGGER "company_link_rollup_insert" ON "company_link";
DROP TRIGGER "company_link_rollup_update" ON "company_link";
DROP TRIGGER "company_link_rollup_delete" ON "company_link";
DROP TRIGGER "company_link_rollup_truncate" ON "company_link";
DROP TRIGGER "execution_rollup_insert" ON "execution";
DROP TRIGGER "execution_rollup_update" ON "execution";
DROP TRIGGER "execution_rollup_delete" ON "execution";
DROP TRIGGER "execution_rollup_truncate" ON "execution";
DROP TRIGGER "execution_repeats_insert" ON "execution";
DROP TRIGGER "execution_repeats_update" ON "execution";
DROP TRIGGER "execution_repeats_delete" ON "execution";
DROP TRIGGER "credit_entry_rollup_insert" ON "credit_entry";
DROP TRIGGER "credit_entry_rollup_update" ON "credit_entry";
DROP TRIGGER "credit_entry_rollup_delete" ON "credit_entry";
DROP TRIGGER "credit_entry_rollup_truncate" ON "credit_entry";
DROP FUNCTION "keep_rollup"(), "keep_repeats"(), "rebuild_rollups"(),
    "rollup_rows"(TEXT, INTEGER, TEXT), "add_to_company_link_count"(TEXT), "add_to_execution_daily"(TEXT),
    "lock_repeats"(TEXT), "link_repeats"(TEXT);

-- AlterTable
ALTER TABLE "company_link_count" DROP CONSTRAINT "company_link_count_pkey",
ADD COLUMN     "shard" BIGSERIAL NOT NULL,
ADD CONSTRAINT "company_link_count_pkey" PRIMARY KEY ("tenant_id", "environment", "system", "shard");

-- AlterTable
ALTER TABLE "execution_daily" DROP CONSTRAINT "execution_daily_pkey",
ADD COLUMN     "shard" BIGSERIAL NOT NULL,
ADD CONSTRAINT "execution_daily_pkey" PRIMARY KEY ("tenant_id", "environment", "day", "agent_id", "shard");

-- An execution's place in the order of its ticket's executions.
CREATE TYPE "ticket_execution" AS (
    "tenant_id" TEXT,
    "environment" TEXT,
    "entity_id" TEXT,
    "execution_id" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3)
);

-- include functions/company_link_count.sql

CREATE TRIGGER "company_link_count_insert" AFTER INSERT ON "company_link"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "company_link_count_keep"();
CREATE TRIGGER "company_link_count_update" AFTER UPDATE ON "company_link"
    REFERENCING NEW TABLE AS "added" OLD TABLE AS "removed"
    FOR EACH STATEMENT EXECUTE FUNCTION "company_link_count_keep"();
CREATE TRIGGER "company_link_count_delete" AFTER DELETE ON "company_link"
    REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "company_link_count_keep"();
CREATE TRIGGER "company_link_count_truncate" AFTER TRUNCATE ON "company_link"
    FOR EACH STATEMENT EXECUTE FUNCTION "company_link_count_keep"();

-- include functions/execution_daily.sql

CREATE TRIGGER "execution_daily_insert" AFTER INSERT ON "execution"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "execution_daily_keep_executions"();
CREATE TRIGGER "execution_daily_update" AFTER UPDATE ON "execution"
    REFERENCING NEW TABLE AS "added" OLD TABLE AS "removed"
    FOR EACH STATEMENT EXECUTE FUNCTION "execution_daily_keep_executions"();
CREATE TRIGGER "execution_daily_delete" AFTER DELETE ON "execution"
    REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "execution_daily_keep_executions"();
CREATE TRIGGER "execution_daily_truncate" AFTER TRUNCATE ON "execution"
    FOR EACH STATEMENT EXECUTE FUNCTION "execution_daily_keep_executions"();
CREATE TRIGGER "execution_daily_insert" AFTER INSERT ON "credit_entry"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "execution_daily_keep_credits"();
CREATE TRIGGER "execution_daily_update" AFTER UPDATE ON "credit_entry"
    REFERENCING NEW TABLE AS "added" OLD TABLE AS "removed"
    FOR EACH STATEMENT EXECUTE FUNCTION "execution_daily_keep_credits"();
CREATE TRIGGER "execution_daily_delete" AFTER DELETE ON "credit_entry"
    REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "execution_daily_keep_credits"();
CREATE TRIGGER "execution_daily_truncate" AFTER TRUNCATE ON "credit_entry"
    FOR EACH STATEMENT EXECUTE FUNCTION "execution_daily_keep_credits"();

-- include functions/ticket_repeat.sql

CREATE TRIGGER "ticket_repeat_insert" AFTER INSERT ON "execution"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "ticket_repeat_keep"();
CREATE TRIGGER "ticket_repeat_update" AFTER UPDATE ON "execution"
    REFERENCING NEW TABLE AS "added" OLD TABLE AS "removed"
    FOR EACH STATEMENT EXECUTE FUNCTION "ticket_repeat_keep"();
CREATE TRIGGER "ticket_repeat_delete" AFTER DELETE ON "execution"
    REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "ticket_repeat_keep"();
CREATE TRIGGER "ticket_repeat_truncate" AFTER TRUNCATE ON "execution"
    FOR EACH STATEMENT EXECUTE FUNCTION "ticket_repeat_keep"();
