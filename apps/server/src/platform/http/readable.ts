import { invalid } from '../errors.ts';

/** More values than any body of ours has: reading on would cost the caller nothing and us a second of every other's time. */
const maxValues = 20_000;

/**
 * Before the contract reads it: texts that PostgreSQL could not keep as they are, and bodies made to keep us busy.
 * Without recursion, since nothing limits how deep JSON goes.
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

/** A route that takes no body refuses one: somebody meant something by it. */
export function assertNoBody(body: unknown): void {
  const isEmpty = body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0);
  if (!isEmpty) throw invalid('unexpected_body', [{ path: '/', message: 'This route does not accept a body.' }]);
}

/** As strict as a contract without fields, and free where there is nothing. */
export function assertNoQuery(query: object): void {
  for (const name in query) {
    throw invalid('invalid_fields', [{ path: '/', message: `Unrecognized key: "${name.slice(0, 80)}"` }]);
  }
}
