-- Arguments of a model never fail the call: values of any type are read as text, and no text is read as another type.
-- The times are those of the call and of its request, which are of the tenant's clock.
CREATE OR REPLACE FUNCTION "message_of_tool_call"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    reaches_people BOOLEAN := NEW.tool_name <> 'ticket.add_note'
        OR coalesce(NEW.arguments ->> 'visibility', '') = 'PUBLIC';
    becomes comms_status;
    why TEXT;
    changed_at TIMESTAMPTZ;
    way comms_medium := CASE NEW.tool_name WHEN 'message.send' THEN 'EMAIL' WHEN 'chat.send' THEN 'CHAT'
        WHEN 'feedback.send_link' THEN CASE NEW.arguments ->> 'medium' WHEN 'EMAIL' THEN 'EMAIL' ELSE 'TICKET_NOTE' END
        ELSE 'TICKET_NOTE' END;
BEGIN
    -- Jobs send the message of a feedback link that is made, and tell how it ended.
    IF NEW.tool_name = 'feedback.send_link' AND NEW.status = 'SUCCEEDED' THEN
        RETURN NULL;
    END IF;
    IF NEW.status = 'PROPOSED' OR (NEW.status = 'WAITING' AND NEW.til_request_id IS NULL) THEN
        RETURN NULL;
    ELSIF NEW.status IN ('DENIED', 'SKIPPED') OR NOT reaches_people THEN
        becomes := 'REJECTED';
        why := CASE WHEN NEW.status <> 'DENIED' THEN 'cancelled'
            WHEN NEW.error_code = 'refused_by_technician' THEN 'rejected'
            WHEN NEW.error_code = 'approval_expired' THEN 'expired'
            ELSE 'cancelled' END;
    ELSIF NEW.status IN ('FAILED', 'TIMED_OUT') OR NEW.error_code = 'outcome_unknown' THEN
        becomes := 'FAILED';
        why := message_error_of(NEW.error_code);
    ELSE
        becomes := CASE WHEN NEW.status = 'WAITING' THEN 'PENDING_APPROVAL' WHEN NEW.status = 'STARTED' THEN 'QUEUED'
            WHEN NEW.tool_name = 'message.send' THEN 'SENT' ELSE 'DELIVERED' END;
    END IF;
    changed_at := coalesce(greatest(NEW.ended_at, NEW.started_at, (
        SELECT greatest(r.created_at, r.closed_at) FROM til_request r
        WHERE r.tenant_id = NEW.tenant_id AND r.environment = NEW.environment AND r.id = NEW.til_request_id
    )), now());
    IF becomes = 'REJECTED' OR NEW.status IN ('FAILED', 'TIMED_OUT') OR (TG_OP = 'UPDATE' AND NEW.arguments = OLD.arguments)
    THEN
        UPDATE comms_message m SET status = becomes, error = why,
            til_request_id = coalesce(NEW.til_request_id, m.til_request_id),
            sent_at = CASE WHEN becomes IN ('SENT', 'DELIVERED') THEN changed_at END, updated_at = changed_at
        WHERE m.tenant_id = NEW.tenant_id AND m.environment = NEW.environment AND m.id = message_id_of(NEW.id)
            AND m.source_id = NEW.id AND m.feedback_id IS NULL;
        -- A call that was refused, or failed, before it began is no message.
        IF FOUND OR becomes = 'REJECTED' OR NEW.status IN ('FAILED', 'TIMED_OUT') THEN
            RETURN NULL;
        END IF;
    END IF;
    INSERT INTO comms_message (tenant_id, environment, id, direction, medium, status, recipient_type, recipient_id,
        recipient_name, end_user_id, subject, body, ticket_id, execution_id, agent_id, til_request_id, source_id, error,
        sent_at, created_at, updated_at)
    SELECT NEW.tenant_id, NEW.environment, message_id_of(NEW.id), 'OUTBOUND',
        way, becomes,
        coalesce(r.type, CASE NEW.tool_name WHEN 'message.send' THEN 'END_USER' WHEN 'chat.send' THEN 'TECHNICIAN' END)
            ::comms_recipient_type,
        r.id, r.name, r.end_user_id, CASE WHEN NEW.tool_name = 'message.send' THEN NEW.arguments ->> 'subject' END,
        coalesce(CASE NEW.tool_name WHEN 'message.send' THEN NEW.arguments ->> 'body'
            WHEN 'feedback.send_link' THEN '[feedback link]' ELSE NEW.arguments ->> 'text' END, ''),
        -- Longer values are no ids, and have no place in an index.
        CASE WHEN NEW.tool_name IN ('ticket.add_note', 'feedback.send_link') AND NEW.arguments ->> 'ticket_id' IS NOT NULL
                THEN CASE WHEN length(NEW.arguments ->> 'ticket_id') <= 200 THEN NEW.arguments ->> 'ticket_id' END
            WHEN NEW.tool_name IN ('message.send', 'feedback.send_link') AND e.entity_type = 'TICKET' THEN e.entity_id END,
        e.execution_id, e.agent_id, NEW.til_request_id, NEW.id, why,
        CASE WHEN becomes IN ('SENT', 'DELIVERED') THEN changed_at END, changed_at, changed_at
    FROM execution e
    LEFT JOIN LATERAL (
        SELECT 'END_USER' AS type, u.id, u.name, u.id AS end_user_id FROM end_user u
        WHERE NEW.tool_name = 'feedback.send_link' AND way = 'EMAIL' AND u.tenant_id = NEW.tenant_id
            AND u.environment = NEW.environment AND u.id = NEW.arguments ->> 'end_user_id'
        UNION ALL
        SELECT 'END_USER', u.id, u.name, u.id FROM end_user u
        WHERE NEW.tool_name <> 'chat.send' AND (NEW.tool_name <> 'feedback.send_link' OR way = 'TICKET_NOTE'
                OR NEW.arguments ->> 'end_user_id' IS NULL)
            AND u.tenant_id = NEW.tenant_id AND u.environment = NEW.environment AND u.psa_contact_id = CASE WHEN NEW.tool_name = 'message.send' THEN NEW.arguments ->> 'contact_id' ELSE (
                SELECT v.version ->> 'contact' FROM callback_entity v
                WHERE v.tenant_id = NEW.tenant_id AND v.environment = NEW.environment
                    AND v.entity = 'TICKET/' || coalesce(NEW.arguments ->> 'ticket_id', CASE
                        WHEN NEW.tool_name = 'feedback.send_link' AND e.entity_type = 'TICKET' THEN e.entity_id END)
            ) END
        UNION ALL
        SELECT 'TECHNICIAN', t.id::text, t.name, NULL FROM technician_profile t
        WHERE NEW.tool_name = 'chat.send' AND t.tenant_id = NEW.tenant_id AND t.environment = NEW.environment
            AND t.id::text = NEW.arguments ->> 'technician_id'
    ) r ON true
    WHERE e.tenant_id = NEW.tenant_id AND e.environment = NEW.environment AND e.execution_id = NEW.execution_id
    ON CONFLICT (tenant_id, environment, id) DO UPDATE SET medium = EXCLUDED.medium, status = EXCLUDED.status,
        recipient_type = EXCLUDED.recipient_type, recipient_id = EXCLUDED.recipient_id,
        recipient_name = EXCLUDED.recipient_name, end_user_id = EXCLUDED.end_user_id, subject = EXCLUDED.subject,
        body = EXCLUDED.body, ticket_id = EXCLUDED.ticket_id,
        til_request_id = coalesce(EXCLUDED.til_request_id, comms_message.til_request_id), error = EXCLUDED.error,
        sent_at = EXCLUDED.sent_at, updated_at = EXCLUDED.updated_at
    WHERE comms_message.source_id = EXCLUDED.source_id AND comms_message.feedback_id IS NULL;
    RETURN NULL;
END $$;

-- Other tools pay a comparison of texts. A call that has come to its end is only forgotten later: its message stays.
CREATE OR REPLACE TRIGGER "tool_call_new_message" AFTER INSERT ON "tool_call" FOR EACH ROW
    WHEN (NEW.tool_name IN ('ticket.add_note', 'message.send', 'chat.send', 'feedback.send_link'))
    EXECUTE FUNCTION "message_of_tool_call"();
CREATE OR REPLACE TRIGGER "tool_call_message" AFTER UPDATE ON "tool_call" FOR EACH ROW
    WHEN (NEW.tool_name IN ('ticket.add_note', 'message.send', 'chat.send', 'feedback.send_link')
        AND OLD.status IN ('PROPOSED', 'WAITING', 'STARTED') AND NEW.arguments <> '{}')
    EXECUTE FUNCTION "message_of_tool_call"();
