import { api, call, useAction, type Problem } from '@parley/portal-kit/ui';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { isSame } from '../differences.ts';
import { useBot, useBotOutlet } from '../bot-data.ts';
import { emptySpec, readText, specOf, textOf, type JsonError, type Spec } from './spec.ts';
import type { Action } from './labels.ts';

/**
 * State of the action editor. Form and JSON stay in sync. Invalid JSON is kept as typed, and the form keeps the last
 * valid spec.
 */
export function useEditor(action: Action | undefined, first: Partial<Spec>) {
  const { bot } = useBot();
  const { setUnsaved } = useBotOutlet();
  const navigate = useNavigate();
  const [base, setBase] = useState<Spec>(() => (action ? specOf(action) : emptySpec));
  const [state, setState] = useState<{ spec: Spec; text: string; jsonError?: JsonError }>(() => {
    const spec = action ? base : { ...base, ...first };
    return { spec, text: textOf(spec) };
  });
  const area = useRef<HTMLTextAreaElement>(null);
  const [createdId, setCreatedId] = useState<string>();
  const { spec, text, jsonError } = state;
  // The defaults of a new action are not unsaved changes.
  const isChanged = !isSame(spec, action || createdId ? base : { ...base, ...first }) || jsonError !== undefined;
  useEffect(() => {
    setUnsaved(isChanged);
    return () => setUnsaved(false);
  }, [isChanged, setUnsaved]);
  // Navigate only after the state is saved, so that the leave guard does not trigger.
  useEffect(() => {
    if (createdId) void navigate(`/bots/${bot.id}/actions/${createdId}`, { replace: true });
  }, [bot.id, createdId, navigate]);

  const setSpec = (next: Spec) => setState({ spec: next, text: textOf(next) });
  const saving = useAction(async () => {
    const sent = spec;
    const { action: saved } = action
      ? await call(api.PATCH('/actions/{id}', { params: { path: { id: action.id } }, body: changeOf(base, sent) }))
      : await call(api.POST('/bots/{id}/actions', { params: { path: { id: bot.id } }, body: sent }));
    const savedSpec = specOf(saved);
    setBase(savedSpec);
    // Keep edits made while saving.
    setState((current) =>
      current.jsonError === undefined && isSame(current.spec, sent)
        ? { spec: savedSpec, text: textOf(savedSpec) }
        : current,
    );
    if (!action) setCreatedId(saved.id);
    return saved;
  });
  return {
    spec,
    text,
    jsonError,
    isChanged,
    setSpec,
    setText: (typed: string) => {
      const parsed = readText(typed);
      setState((current) =>
        'spec' in parsed
          ? { spec: parsed.spec, text: typed }
          : { ...current, text: typed, jsonError: parsed.jsonError },
      );
    },
    /** The JSON text area. */
    area,
    /** Restores the last valid JSON. */
    fix: () => setSpec(spec),
    discard: () => {
      saving.clear();
      setSpec(action ? base : { ...base, ...first });
    },
    save: () => saving.run(),
    saving,
  };
}
export type ActionEditor = ReturnType<typeof useEditor>;

/** Only changed fields, so that concurrent changes to other fields are kept. */
const changeOf = (before: Spec, after: Spec): Partial<Spec> =>
  Object.fromEntries(
    (Object.keys(after) as (keyof Spec)[])
      .filter((field) => !isSame(before[field], after[field]))
      .map((field) => [field, after[field]]),
  );

const pathOf = (path: string) => path.replace(/^\/body(?=\/)/, '');

/** Validation errors by form field, and those without a field. */
export function fieldErrors(problem: Problem | undefined) {
  const details = problem?.details.map(({ path, message }) => ({ path: pathOf(path), message })) ?? [];
  if (problem?.reason === 'name_taken') details.push({ path: '/name', message: problem.message });
  const isUnder = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`);
  return {
    errorAt: (prefix: string) => details.find(({ path }) => isUnder(path, prefix))?.message,
    otherErrors: details.filter(({ path }) =>
      ['/steps', '/output', '/outputSchema'].some((prefix) => isUnder(path, prefix)),
    ),
  };
}
