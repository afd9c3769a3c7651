interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}
type PageCall = { query?: { cursor?: string } } | undefined;

/** Only lists that go on by a cursor: another would give its first page for ever. */
type Arguments<Input extends PageCall> = 'cursor' extends keyof NonNullable<NonNullable<Input>['query']>
  ? undefined extends Input
    ? [call?: Input]
    : [call: Input]
  : [never];

/**
 * Everything in a list, page by page: the next page is read when you get to it.
 *
 * @example
 * for await (const bot of each(parley.listBots, { query: { limit: 100 } })) console.log(bot.name);
 */
export async function* each<Item, Input extends PageCall>(
  list: (call: Input) => Promise<Page<Item>>,
  ...args: Arguments<Input>
): AsyncGenerator<Item, void, undefined> {
  const [call] = args as [Input?];
  let cursor: string | undefined; // until there is one, the call's own
  do {
    const page = await list({ ...call, query: { ...call?.query, ...(cursor !== undefined && { cursor }) } } as Input);
    yield* page.data;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
