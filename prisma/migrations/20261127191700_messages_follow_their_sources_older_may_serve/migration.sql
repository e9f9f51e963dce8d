-- The log of messages follows what agents and people do, by triggers: no path can leave a message out, and none costs a
-- statement. A row has the random part of its source's id, so that it is found by its key.
CREATE FUNCTION "message_id_of"("source_id" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'cms_' || regexp_replace(source_id, '^[a-z]+_', '')
$$;

-- The code as messages have it. Codes of tools and chats that messages have no word for stay as they are.
CREATE FUNCTION "message_error_of"("code" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN code IN ('integration_unavailable', 'upstream_unavailable') THEN 'server_unreachable'
        ELSE coalesce(code, 'internal_error') END
$$;

-- Arguments of a model never fail the call: values of any type are read as text, and no text is read as another type.
-- The times are those of the call and of its request, which are of the tenant's clock.
CREATE FUNCTION "message_of_tool_call"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    reaches_people BOOLEAN := NEW.tool_name <> 'ticket.add_note'
        OR coalesce(NEW.arguments ->> 'visibility', '') = 'PUBLIC';
    becomes comms_status;
    why TEXT;
    changed_at TIMESTAMPTZ;
BEGIN
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
            AND m.source_id = NEW.id;
        -- A call that was refused, or failed, before it began is no message.
        IF FOUND OR becomes = 'REJECTED' OR NEW.status IN ('FAILED', 'TIMED_OUT') THEN
            RETURN NULL;
        END IF;
    END IF;
    INSERT INTO comms_message (tenant_id, environment, id, direction, medium, status, recipient_type, recipient_id,
        recipient_name, end_user_id, subject, body, ticket_id, execution_id, agent_id, til_request_id, source_id, error,
        sent_at, created_at, updated_at)
    SELECT NEW.tenant_id, NEW.environment, message_id_of(NEW.id), 'OUTBOUND',
        CASE NEW.tool_name WHEN 'message.send' THEN 'EMAIL' WHEN 'chat.send' THEN 'CHAT' ELSE 'TICKET_NOTE' END::comms_medium,
        becomes,
        coalesce(r.type, CASE NEW.tool_name WHEN 'message.send' THEN 'END_USER' WHEN 'chat.send' THEN 'TECHNICIAN' END)
            ::comms_recipient_type,
        r.id, r.name, r.end_user_id, CASE WHEN NEW.tool_name = 'message.send' THEN NEW.arguments ->> 'subject' END,
        coalesce(CASE WHEN NEW.tool_name = 'message.send' THEN NEW.arguments ->> 'body' ELSE NEW.arguments ->> 'text' END, ''),
        -- Longer values are no ids, and have no place in an index.
        CASE WHEN NEW.tool_name = 'ticket.add_note' THEN CASE WHEN length(NEW.arguments ->> 'ticket_id') <= 200
                THEN NEW.arguments ->> 'ticket_id' END
            WHEN NEW.tool_name = 'message.send' AND e.entity_type = 'TICKET' THEN e.entity_id END,
        e.execution_id, e.agent_id, NEW.til_request_id, NEW.id, why,
        CASE WHEN becomes IN ('SENT', 'DELIVERED') THEN changed_at END, changed_at, changed_at
    FROM execution e
    LEFT JOIN LATERAL (
        SELECT 'END_USER' AS type, u.id, u.name, u.id AS end_user_id FROM end_user u
        WHERE NEW.tool_name <> 'chat.send' AND u.tenant_id = NEW.tenant_id AND u.environment = NEW.environment
            AND u.psa_contact_id = CASE WHEN NEW.tool_name = 'message.send' THEN NEW.arguments ->> 'contact_id' ELSE (
                SELECT v.version ->> 'contact' FROM callback_entity v
                WHERE v.tenant_id = NEW.tenant_id AND v.environment = NEW.environment
                    AND v.entity = 'TICKET/' || (NEW.arguments ->> 'ticket_id')
            ) END
        UNION ALL
        SELECT 'TECHNICIAN', t.id::text, t.name, NULL FROM technician_profile t
        WHERE NEW.tool_name = 'chat.send' AND t.tenant_id = NEW.tenant_id AND t.environment = NEW.environment
            AND t.id::text = NEW.arguments ->> 'technician_id'
    ) r ON true
    WHERE e.tenant_id = NEW.tenant_id AND e.environment = NEW.environment AND e.execution_id = NEW.execution_id
    ON CONFLICT (tenant_id, environment, id) DO UPDATE SET status = EXCLUDED.status,
        recipient_type = EXCLUDED.recipient_type, recipient_id = EXCLUDED.recipient_id,
        recipient_name = EXCLUDED.recipient_name, end_user_id = EXCLUDED.end_user_id, subject = EXCLUDED.subject,
        body = EXCLUDED.body, ticket_id = EXCLUDED.ticket_id,
        til_request_id = coalesce(EXCLUDED.til_request_id, comms_message.til_request_id), error = EXCLUDED.error,
        sent_at = EXCLUDED.sent_at, updated_at = EXCLUDED.updated_at
    WHERE comms_message.source_id = EXCLUDED.source_id;
    RETURN NULL;
END $$;

-- Other tools pay a comparison of texts. A call that has come to its end is only forgotten later: its message stays.
CREATE TRIGGER "tool_call_new_message" AFTER INSERT ON "tool_call" FOR EACH ROW
    WHEN (NEW.tool_name IN ('ticket.add_note', 'message.send', 'chat.send'))
    EXECUTE FUNCTION "message_of_tool_call"();
CREATE TRIGGER "tool_call_message" AFTER UPDATE ON "tool_call" FOR EACH ROW
    WHEN (NEW.tool_name IN ('ticket.add_note', 'message.send', 'chat.send')
        AND OLD.status IN ('PROPOSED', 'WAITING', 'STARTED') AND NEW.arguments <> '{}')
    EXECUTE FUNCTION "message_of_tool_call"();

-- Messages of persons, and answers of agents. Other messages of agents have rows of their own, if any.
CREATE FUNCTION "message_of_chat"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO comms_message (tenant_id, environment, id, direction, medium, status, recipient_type, recipient_id,
        recipient_name, end_user_id, body, channel_id, conversation_id, agent_id, source_id, error, sent_at, created_at,
        updated_at)
    SELECT NEW.tenant_id, NEW.environment, message_id_of(NEW.id),
        CASE NEW.author WHEN 'PERSON' THEN 'INBOUND' ELSE 'OUTBOUND' END::comms_direction, 'CHAT',
        CASE WHEN NEW.author = 'PERSON' OR NEW.status = 'SENT' THEN 'DELIVERED' WHEN NEW.status = 'FAILED' THEN 'FAILED'
            ELSE 'QUEUED' END::comms_status,
        CASE WHEN p.end_user_id IS NOT NULL THEN 'END_USER' WHEN h.audience = 'TECHNICIANS' THEN 'TECHNICIAN' END
            ::comms_recipient_type,
        p.end_user_id, u.name, p.end_user_id, NEW.text, NEW.channel_id, NEW.conversation_id, h.agent_id, NEW.id,
        CASE WHEN NEW.author = 'AGENT' AND NEW.status = 'FAILED' THEN message_error_of(NEW.error_code) END,
        CASE WHEN NEW.author = 'PERSON' THEN NEW.created_at WHEN NEW.status = 'SENT' THEN NEW.updated_at END,
        NEW.created_at, CASE NEW.author WHEN 'PERSON' THEN NEW.created_at ELSE NEW.updated_at END
    FROM channel h
    LEFT JOIN channel_message p ON p.tenant_id = h.tenant_id AND p.environment = h.environment
        AND p.id = CASE NEW.author WHEN 'PERSON' THEN NEW.id ELSE NEW.reply_to_message_id END
    LEFT JOIN end_user u ON u.tenant_id = h.tenant_id AND u.environment = h.environment AND u.id = p.end_user_id
    WHERE h.tenant_id = NEW.tenant_id AND h.environment = NEW.environment AND h.id = NEW.channel_id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER "channel_message_message" AFTER INSERT ON "channel_message" FOR EACH ROW
    WHEN (NEW.author = 'PERSON' OR NEW.reply_to_message_id IS NOT NULL)
    EXECUTE FUNCTION "message_of_chat"();

-- The end of an agent’s message, and of a message that the service sends, whose row names it as its source.
CREATE FUNCTION "end_of_chat"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE comms_message m SET
        status = CASE NEW.status WHEN 'SENT' THEN 'DELIVERED' WHEN 'FAILED' THEN 'FAILED' ELSE 'QUEUED' END::comms_status,
        error = CASE WHEN NEW.status = 'FAILED' THEN message_error_of(NEW.error_code) END,
        sent_at = CASE WHEN NEW.status = 'SENT' THEN NEW.updated_at END, updated_at = NEW.updated_at
    WHERE m.tenant_id = NEW.tenant_id AND m.environment = NEW.environment AND m.source_id = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER "channel_message_sent" AFTER UPDATE ON "channel_message" FOR EACH ROW
    WHEN (NEW.author = 'AGENT' AND (NEW.status, NEW.error_code) IS DISTINCT FROM (OLD.status, OLD.error_code))
    EXECUTE FUNCTION "end_of_chat"();
