import { api, call, useAction, type Problem } from '@parley/portal-kit/ui';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { isSame } from '../differences.ts';
import { useBot, useFrame } from '../shape.ts';
import { emptySpec, readText, specOf, textOf, type Fault, type Spec } from './spec.ts';
import type { Action } from './labels.ts';

/**
 * An action while somebody edits it, as a form and as JSON. Both show one thing: what is changed on one side is there on
 * the other at once. JSON that cannot be read is kept as it was typed, and the form keeps what was last good.
 */
export function useEditor(action: Action | undefined, first: Partial<Spec>) {
  const { bot } = useBot();
  const { setUnsaved } = useFrame();
  const navigate = useNavigate();
  const [base, setBase] = useState<Spec>(() => (action ? specOf(action) : emptySpec));
  const [state, setState] = useState<{ spec: Spec; text: string; fault?: Fault }>(() => {
    const spec = action ? base : { ...base, ...first };
    return { spec, text: textOf(spec) };
  });
  const area = useRef<HTMLTextAreaElement>(null);
  const [createdId, setCreatedId] = useState<string>();
  const { spec, text, fault } = state;
  // What a new one begins with is nobody's work yet.
  const isChanged = !isSame(spec, action || createdId ? base : { ...base, ...first }) || fault !== undefined;
  useEffect(() => {
    setUnsaved(isChanged);
    return () => setUnsaved(false);
  }, [isChanged, setUnsaved]);
  // Once the page knows that all is saved, so that leaving it is not asked about.
  useEffect(() => {
    if (createdId) void navigate(`/bots/${bot.id}/actions/${createdId}`, { replace: true });
  }, [bot.id, createdId, navigate]);

  const setSpec = (next: Spec) => setState({ spec: next, text: textOf(next) });
  const saving = useAction(async () => {
    const sent = spec;
    const { action: saved } = action
      ? await call(api.PATCH('/actions/{id}', { params: { path: { id: action.id } }, body: changeOf(base, sent) }))
      : await call(api.POST('/bots/{id}/actions', { params: { path: { id: bot.id } }, body: sent }));
    const kept = specOf(saved);
    setBase(kept);
    // What was typed while it was saved stays.
    setState((now) => (now.fault === undefined && isSame(now.spec, sent) ? { spec: kept, text: textOf(kept) } : now));
    if (!action) setCreatedId(saved.id);
    return saved;
  });
  return {
    spec,
    text,
    fault,
    isChanged,
    setSpec,
    setText: (typed: string) => {
      const found = readText(typed);
      setState((now) =>
        'spec' in found ? { spec: found.spec, text: typed } : { ...now, text: typed, fault: found.fault },
      );
    },
    /** Where the JSON is typed. */
    area,
    /** Back to the last JSON that could be read. */
    fix: () => setSpec(spec),
    discard: () => {
      saving.clear();
      setSpec(action ? base : { ...base, ...first });
    },
    save: () => saving.run(),
    saving,
  };
}
export type Editing = ReturnType<typeof useEditor>;

/** Only what is other than before: a colleague's change of something else stays. */
const changeOf = (before: Spec, after: Spec): Partial<Spec> =>
  Object.fromEntries(
    (Object.keys(after) as (keyof Spec)[])
      .filter((field) => !isSame(before[field], after[field]))
      .map((field) => [field, after[field]]),
  );

const pathOf = (path: string) => path.replace(/^\/body(?=\/)/, '');

/** What was refused, field by field, and what belongs to no field of the form. */
export function faultsOf(problem: Problem | undefined) {
  const details = problem?.details.map(({ path, message }) => ({ path: pathOf(path), message })) ?? [];
  if (problem?.reason === 'name_taken') details.push({ path: '/name', message: problem.message });
  const isAt = (path: string, wanted: string) => path === wanted || path.startsWith(`${wanted}/`);
  return {
    errorAt: (wanted: string) => details.find(({ path }) => isAt(path, wanted))?.message,
    ofJson: details.filter(({ path }) => ['/steps', '/output', '/outputSchema'].some((wanted) => isAt(path, wanted))),
  };
}
