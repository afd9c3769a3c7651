import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createRoles, migrate } from '../apps/server/src/migrate.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import { stackDir, startPostgres } from '../tools/stack/index.ts';
import type { Embedder } from '../apps/server/src/features/knowledge/embed/embedder.ts';
import { reportAnchors } from './anchors.ts';
import { readCorpus } from './corpus.ts';
import { loadDocuments } from './load.ts';
import { runQuestions, metricsOf, percent, shortfalls, type Result } from './measure.ts';
import { askShop } from './shop.ts';
import { embedQuestions, embedSources, openEvalEmbedder } from './vectors.ts';
import { programsWithVector } from '../tools/stack/vector.ts';
import { measureModel, measureSpeed, type EvalTenant } from './speed.ts';

// npm run eval [-- --tokens | --model FOLDER] [-- --misses] [-- --speed] [-- --pgvector] [-- --anchors FOLDER]: how well search finds
// the right chunk, without an answering model: with the embedding model of the release, or by tokens only. --pgvector keeps
// the vectors in the database's extension. --anchors also measures public sets, which are not part of this repository.

const has = (flag: string) => process.argv.includes(flag);
const optionValue = (name: string) => (has(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const folder = stackDir(`eval-${process.pid}`);
mkdirSync(folder, { recursive: true });
const postgres = await startPostgres(join(folder, 'postgres'), {
  durable: false,
  programs: has('--pgvector') ? programsWithVector(stackDir('pgvector')) : undefined,
});
try {
  process.exitCode = await evaluate();
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function evaluate(): Promise<number> {
  const app = await openDatabase();
  const corpus = readCorpus();
  const embedder = has('--tokens') ? undefined : openEvalEmbedder(optionValue('--model'));
  const tenant = await app.newTenant();
  const loaded = await tenant.inside((tx) => loadDocuments(tx, tenant.botId, corpus.documents));
  if (embedder) await embedSources(tenant, loaded.sourceIds, embedder);
  await app.analyze();
  console.log(`${corpus.documents.length} documents, ${loaded.chunks} chunks, ${corpus.questions.length} questions`);
  console.log(embedder ? `Tokens and vectors of ${embedder.model}` : 'Tokens only');
  const vectors = await embedQuestions(corpus.questions, embedder);
  const results = await tenant.inside((tx) => runQuestions(tx, loaded, corpus.questions, vectors));
  report(results);
  await reportShop(await app.newTenant(), embedder);
  const anchors = optionValue('--anchors');
  if (anchors) await reportAnchors(app.newTenant, anchors, embedder);
  if (has('--misses')) showMisses(results.filter(({ question }) => question.split === 'dev'));
  if (has('--speed')) {
    if (embedder) await measureModel(embedder, corpus);
    await measureSpeed(await app.newTenant(), app.analyze, corpus, embedder);
  }
  await app.close();
  const below = shortfalls(metricsOf(results));
  for (const line of below) console.log(`below target: ${line}`);
  return below.length > 0 ? 1 : 0;
}

async function reportShop(tenant: EvalTenant, embedder: Embedder | undefined): Promise<void> {
  const { questions, first, answered, unanswerable, refused, misses } = await askShop(tenant, embedder);
  console.log(
    `demo shop, ${questions} questions: right section first ${percent(first / questions)}, and not refused ${percent(answered / questions)}; ${unanswerable} without an answer: recognised ${percent(refused / unanswerable)}`,
  );
  if (has('--misses')) for (const miss of misses) console.log(`  ${miss}`);
}

async function openDatabase() {
  const urlAs = (user: string, database: string) =>
    Object.assign(new URL(postgres.adminUrl), { username: user, pathname: database }).href;
  const root = connect(postgres.adminUrl, { max: 1 });
  await createRoles(root);
  await sql`create database parley owner parley_owner`.execute(root);
  await root.destroy();
  const admin = connect(urlAs('postgres', 'parley'), { max: 1 });
  if (has('--pgvector')) await sql`create extension vector`.execute(admin);
  const owner = connect(urlAs('parley_owner', 'parley'), { max: 2 });
  await migrate(owner);
  await owner.destroy();
  const db = connect(urlAs('parley_app', 'parley'), { max: 1 });
  return {
    newTenant: async (): Promise<EvalTenant> => {
      const [tenantId, workspaceId, botId] = [newId('tenant'), newId('workspace'), newId('bot')];
      await admin.insertInto('tenants').values({ tenantId, name: 'Eval', plan: 'team', apiVersion: 'eval' }).execute();
      await admin.insertInto('workspaces').values({ tenantId, id: workspaceId, name: 'Eval' }).execute();
      await admin.insertInto('bots').values({ tenantId, id: botId, workspaceId, name: 'Eval' }).execute();
      return {
        botId,
        inside: (work) =>
          db.transaction().execute(async (tx) => {
            await sql`select set_config('app.tenant_id', ${tenantId}, true)`.execute(tx);
            return work(tx);
          }),
      };
    },
    /** Autovacuum would do this a minute after the bulk insert. */
    analyze: async () => void (await sql`vacuum analyze`.execute(admin)),
    close: () => Promise.all([admin.destroy(), db.destroy()]),
  };
}

function report(results: readonly Result[]) {
  const rows: Record<string, Record<string, string | number>> = {};
  const add = (name: string, among: readonly Result[]) => {
    const metrics = metricsOf(among);
    rows[name] = {
      questions: among.length,
      first: percent(metrics.first),
      'first, not refused': percent(metrics.firstStrict),
      'among three': percent(metrics.amongThree),
      'mean reciprocal rank': Number.isNaN(metrics.reciprocalRank) ? '-' : metrics.reciprocalRank.toFixed(3),
      'no answer recognised': percent(metrics.noAnswer),
      'wrongly refused': percent(metrics.wronglyRefused),
      'median length of the quote': metrics.medianWords,
      'quote answers': percent(metrics.quotedAnswer),
    };
  };
  add('all', results);
  const by = (name: (result: Result) => string) => {
    for (const [key, among] of Map.groupBy(results, name)) add(key, among);
  };
  by(({ question }) => question.split);
  by(({ question }) => question.language);
  by(({ question }) => `kind ${question.kind}`);
  add(
    'all but paraphrase',
    results.filter(({ question }) => question.kind !== 'paraphrase'),
  );
  console.table(rows);
  const times = results.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  console.log(`a search takes ${at(0.5)} ms (p50), ${at(0.95)} ms (p95)`);
}

/** Development questions only, so that nothing is tuned on the held-out ones. */
function showMisses(results: readonly Result[]) {
  for (const { question, rank, isConfident, first } of results) {
    const isAnswerable = question.answers.length > 0;
    if (isAnswerable ? rank === 1 && isConfident : !isConfident) continue;
    const expected =
      question.answers.map(({ document, heading }) => `${document} › ${heading}`).join(' or ') || 'nothing';
    console.log(`\n[${question.id} ${question.kind}] ${question.question}\n  expected: ${expected}`);
    console.log(`  rank ${rank || '-'}, ${isConfident ? 'confident' : 'not confident'}`);
    if (first) console.log(`  first (${first.score.toFixed(2)}): ${first.title} › ${first.heading}`);
  }
}
