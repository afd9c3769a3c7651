import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Conversation, ConversationRow, Person } from '../conversations.contract.ts';
import { aliasOf } from './alias.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

interface Details {
  id: string;
  /** Of the contact; without one, what the visitor entered before the chat. */
  knownName: string | null;
  email: string | null;
  label: string | null;
  assigneeName: string | null;
}

/** A conversation with the columns that only staff see. */
export type StoredRow = Conversation & {
  visitorPreview: string;
  visitorSeq: number;
  agentReadSeq: number;
  visitorReadSeq: number;
};

/** Adds names to a page of conversations, with one query for all. */
export async function withPeople(tx: Tx, rows: readonly StoredRow[]) {
  const details = await findDetails(tx, rows);
  return rows.map(({ visitorSeq, agentReadSeq, ...row }): ConversationRow & { visitorReadSeq: number } => {
    const found = details.get(row.id);
    return {
      ...row,
      person: toPerson(row, found),
      assignee: row.assigneeId === null ? null : { id: row.assigneeId, name: found?.assigneeName ?? '' },
      isUnread: row.state !== 'closed' && visitorSeq > agentReadSeq,
    };
  });
}

async function findDetails(tx: Tx, rows: readonly StoredRow[]): Promise<Map<string, Details>> {
  if (rows.length === 0) return new Map();
  const column = (name: 'id' | 'contactId' | 'visitorId' | 'assigneeId') => rows.map((row) => row[name]);
  const { rows: found } = await sql<Details>`
    with page as (
      select * from unnest(${column('id')}::text[], ${column('contactId')}::text[], ${column('visitorId')}::text[],
        ${column('assigneeId')}::text[]) as page (id, contact_id, visitor_id, assignee_id))
    select page.id, case when page.contact_id is null then visitors.name else contacts.name end as known_name,
      case when page.contact_id is null then visitors.email else contacts.email end as email, visitors.label, people.name as assignee_name
    from page
      left join contacts on contacts.id = page.contact_id
      left join visitors on visitors.id = page.visitor_id
      left join directory.people_of_tenant(array(select assignee_id from page where assignee_id is not null)) as people
        on people.user_id = page.assignee_id`.execute(tx);
  return new Map(found.map((row) => [row.id, row]));
}

/** `web` is the widget's default label. */
const nameIn = (label: string | null | undefined) => (label && label !== 'web' ? label : '');

function toPerson({ contactId, visitorId }: Conversation, details: Details | undefined): Person {
  const id = contactId ?? visitorId ?? '';
  const name = details?.knownName || details?.email || nameIn(details?.label);
  const fallback = id === '' ? 'Erased visitor' : aliasOf(id);
  return {
    id,
    name: name || fallback,
    email: details?.email || null,
    isKnown: name !== '',
    isVerified: contactId !== null,
  };
}
