// Fails when a question refers to a document, heading or text that is not in the corpus.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Answer = { document: string; heading: string; mustContain: string };
type Question = {
  id: string;
  language: string;
  question: string;
  answers: Answer[];
  kind: string;
  split: string;
};

const folder = import.meta.dirname;
const languages = ['en', 'de'];
const kinds = ['plain', 'paraphrase', 'typo', 'keyword', 'no-answer'];
const splits = ['dev', 'held-out'];
const minWords = 150;
const maxWords = 600;
const problems: string[] = [];

/** The text under each `##` heading. Text directly under the title has the heading ''. */
function sectionsOf(name: string, text: string): Map<string, string> {
  const sections = new Map<string, string>([['', '']]);
  let heading = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) continue;
    if (line.startsWith('## ')) {
      heading = line.slice(3).trim();
      if (sections.has(heading)) problems.push(`${name}: heading "${heading}" is used twice`);
      sections.set(heading, '');
    } else {
      sections.set(heading, `${sections.get(heading) ?? ''}${line}\n`);
    }
  }
  return sections;
}

function readDocument(name: string): Map<string, string> {
  const text = readFileSync(join(folder, 'documents', name), 'utf8');
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  if (words < minWords || words > maxWords) problems.push(`${name}: ${words} words`);
  if (!text.startsWith('# ')) problems.push(`${name}: does not start with a title`);
  const sections = sectionsOf(name, text);
  if (sections.size < 3) problems.push(`${name}: fewer than two sections`);
  return sections;
}

const documents = new Map<string, Map<string, string>>(
  languages.flatMap((language) =>
    readdirSync(join(folder, 'documents', language))
      .filter((file) => file.endsWith('.md'))
      .map((file) => [`${language}/${file}`, readDocument(`${language}/${file}`)] as const),
  ),
);

function checkAnswer(question: Question, answer: Answer): void {
  const sections = documents.get(answer.document);
  const section = sections?.get(answer.heading);
  if (!answer.document.startsWith(`${question.language}/`))
    problems.push(`${question.id}: ${answer.document} is in another language`);
  if (answer.mustContain === '') problems.push(`${question.id}: mustContain is empty`);
  // Ingestion may drop Markdown markup, so the expected text must not depend on it.
  if (/[*|`]/.test(answer.mustContain)) problems.push(`${question.id}: mustContain holds Markdown`);
  if (!sections) problems.push(`${question.id}: no document ${answer.document}`);
  else if (section === undefined) problems.push(`${question.id}: no heading "${answer.heading}" in ${answer.document}`);
  else if (!section.includes(answer.mustContain))
    problems.push(`${question.id}: "${answer.mustContain}" is not under "${answer.heading}" of ${answer.document}`);
}

const questions = JSON.parse(readFileSync(join(folder, 'questions.json'), 'utf8')) as Question[];
const ids = new Set<string>();
const seenQuestions = new Set<string>();
const splitOfSection = new Map<string, string>();
for (const question of questions) {
  if (ids.has(question.id)) problems.push(`${question.id}: id is used twice`);
  ids.add(question.id);
  if (seenQuestions.has(question.question)) problems.push(`${question.id}: question is asked twice`);
  seenQuestions.add(question.question);
  if (!languages.includes(question.language)) problems.push(`${question.id}: language ${question.language}`);
  if (!kinds.includes(question.kind)) problems.push(`${question.id}: kind ${question.kind}`);
  if (!splits.includes(question.split)) problems.push(`${question.id}: split ${question.split}`);
  if ((question.kind === 'no-answer') !== (question.answers.length === 0))
    problems.push(`${question.id}: answers do not match its kind`);
  for (const answer of question.answers) {
    checkAnswer(question, answer);
    // A section used for tuning in one split must not be used for measuring in the other.
    const sectionName = `${answer.document} / ${answer.heading}`;
    const before = splitOfSection.get(sectionName) ?? question.split;
    if (before !== question.split) problems.push(`${question.id}: ${sectionName} is used in both splits`);
    splitOfSection.set(sectionName, question.split);
  }
}

for (const language of languages) {
  const count = [...documents.keys()].filter((name) => name.startsWith(`${language}/`)).length;
  const answerable = questions.filter((question) => question.language === language && question.answers.length > 0);
  console.log(`${language}: ${count} documents, ${answerable.length} answerable questions`);
  for (const kind of kinds) {
    const ofKind = questions.filter((question) => question.language === language && question.kind === kind);
    const perSplit = splits.map((split) => `${split} ${ofKind.filter((question) => question.split === split).length}`);
    console.log(`  ${kind.padEnd(10)} ${String(ofKind.length).padStart(3)}  (${perSplit.join(', ')})`);
  }
}
console.log(`${questions.length} questions in all`);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
