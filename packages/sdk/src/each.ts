interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}
type PageCall = { query?: { cursor?: string } } | undefined;

/** Only for lists with a cursor: others would return their first page forever. */
type Arguments<Input extends PageCall> = 'cursor' extends keyof NonNullable<NonNullable<Input>['query']>
  ? undefined extends Input
    ? [call?: Input]
    : [call: Input]
  : [never];

/**
 * Iterates over all items of a list. The next page is fetched when you get to it.
 *
 * @example
 * for await (const bot of each(parley.listBots, { query: { limit: 100 } })) console.log(bot.name);
 */
export async function* each<Item, Input extends PageCall>(
  list: (call: Input) => Promise<Page<Item>>,
  ...args: Arguments<Input>
): AsyncGenerator<Item, void, undefined> {
  const [call] = args as [Input?];
  let cursor: string | undefined; // the first page uses the cursor of `call`, if any
  do {
    const page = await list({ ...call, query: { ...call?.query, ...(cursor !== undefined && { cursor }) } } as Input);
    yield* page.data;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
