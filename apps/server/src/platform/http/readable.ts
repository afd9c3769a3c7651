import { invalid } from '../errors.ts';

/** More values than any valid body has. Validating more would block the event loop for a second. */
const maxValues = 20_000;

/**
 * Runs before validation: rejects text that PostgreSQL cannot store, and bodies with too many values.
 * Not recursive, because the depth of JSON is not limited.
 */
export function assertReadable(input: unknown): void {
  const pending: [path: string, value: unknown][] = [['', input]];
  let count = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [path, value] = next;
    if (++count > maxValues) throw malformed('', `Contains more than ${maxValues.toLocaleString('en')} values.`);
    if (typeof value === 'string') assertText(path, value);
    else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value);
      if (count + pending.length + entries.length > maxValues) {
        throw malformed(path, `Contains more than ${maxValues.toLocaleString('en')} values.`);
      }
      for (const [name, inner] of entries) {
        assertText(path, name);
        pending.push([`${path}/${name}`, inner]);
      }
    }
  }
}

function assertText(path: string, text: string) {
  if (text.includes('\0')) throw malformed(path, 'Contains a null character (U+0000).');
  if (!text.isWellFormed()) throw malformed(path, 'Contains an unpaired surrogate.');
}

const malformed = (path: string, message: string) =>
  invalid('malformed_value', [{ path: path.slice(0, 200) || '/', message }]);

/** A body on a route that takes none is a mistake of the caller, so it is not ignored. */
export function assertNoBody(body: unknown): void {
  const isEmpty = body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0);
  if (!isEmpty) throw invalid('unexpected_body', [{ path: '/', message: 'This route does not accept a body.' }]);
}

/** As strict as a schema without fields, at no cost if the query is empty. */
export function assertNoQuery(query: object): void {
  for (const name in query) {
    throw invalid('invalid_fields', [{ path: '/', message: `Unrecognized key: "${name.slice(0, 80)}"` }]);
  }
}
