/**
 * The inline style of all pages. Distances are on a 4-px grid, in rem so that they scale with the text. Logical properties
 * support right-to-left languages.
 */
export const style = `
:root {
  color-scheme: light dark;
  --page: #F8FAFC; --surface: #FFF; --sunken: #F1F5F9; --text: #0F172A; --muted: #475569; --line: #E2E8F0; --edge: #64748B;
  --primary: #0F766E; --primary-strong: #115E59; --on-primary: #FFF;
  --danger: #B91C1C; --danger-back: #FEF2F2; --danger-line: #FCA5A5;
  --warning: #B45309; --warning-back: #FFFBEB; --warning-line: #FCD34D;
  --success: #15803D;
  --bar: #1E293B; --shadow: 0 1px 2px #0F172A0D, 0 8px 24px #0F172A0F;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0B1120; --surface: #172033; --sunken: #0F172A; --text: #F1F5F9; --muted: #A9B6C8; --line: #2B384D; --edge: #7587A1;
    --primary: #2DD4BF; --primary-strong: #5EEAD4; --on-primary: #042F2E;
    --danger: #FCA5A5; --danger-back: #3A1620; --danger-line: #7F2A34;
    --warning: #FCD34D; --warning-back: #2E2413; --warning-line: #6B4E16;
    --success: #4ADE80;
    --bar: #334155; --shadow: none;
  }
}
*, ::before, ::after { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; background: var(--page); color: var(--text); overflow-wrap: anywhere; padding-block-end: 2rem; }
.brand { display: flex; align-items: center; gap: .5rem; font-size: 1.125rem; font-weight: 650; letter-spacing: -.01em; }
.mark { width: 1.75rem; height: 1.75rem; flex: none; color: var(--primary); }
.head, main, .foot { width: 100%; max-width: 27rem; margin-inline: auto; }
.head { padding: max(2rem, 9vh) .25rem 1.25rem; }
main { padding: 2rem; background: var(--surface); border: 1px solid var(--line); border-radius: .5rem; box-shadow: var(--shadow); }
.foot { padding: .75rem .25rem 0; color: var(--muted); font-size: .875rem; }
.foot ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; padding: 0; list-style: none; }
.foot a, .foot span { display: block; padding-block: .75rem; min-height: 2.75rem; line-height: 1.25rem; }
.foot span { color: var(--text); font-weight: 600; }
.admin .head { max-width: none; padding: .75rem 1.25rem; background: var(--bar); color: #FFF; border-block-end: 1px solid transparent; }
.admin .mark { color: #5EEAD4; }
.admin .brand b { margin-inline-start: .25rem; padding: .125rem .5rem; border: 1px solid #94A3B8; border-radius: .25rem; font-size: .8125rem; font-weight: 600; letter-spacing: .02em; }
.admin main { margin-block-start: max(1.5rem, 7vh); }

h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.015em; text-wrap: balance; hyphens: auto; }
h2 { font-size: 1rem; line-height: 1.5; font-weight: 650; }
h1 + .lead { margin-block-start: .5rem; }
.lead, .hint, .aside { color: var(--muted); text-wrap: pretty; }
.lead + .lead { margin-block-start: .5rem; }
.hint, .aside { font-size: .875rem; }
.lead b { color: var(--text); font-weight: 600; }
a { color: var(--primary); text-underline-offset: .2em; text-decoration-thickness: 1px; }
a:hover { color: var(--primary-strong); text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--primary); outline-offset: 2px; border-radius: .25rem; }
.part { margin-block-start: 1.5rem; }
.part > * + * { margin-block-start: .5rem; }
section.part { padding-block-start: 1.5rem; border-block-start: 1px solid var(--line); }
.part > .wide, section.part > form { margin-block-start: 1rem; }
section.part > .secret + form { margin-block-start: 1.5rem; }

form > * + *, form.part > * + * { margin-block-start: 1.25rem; }
form > noscript { display: block; }
form > noscript > .aside { padding-block-start: 1.25rem; }
form > [type=hidden] + *, form > [hidden] + * { margin-block-start: 0 !important; }
label { display: block; font-weight: 600; font-size: .9375rem; }
.field .hint { margin-block-start: .125rem; }
.field input { margin-block-start: .5rem; }
.field .error { display: flex; gap: .375rem; margin-block-start: .5rem; font-size: .875rem; color: var(--danger); text-wrap: pretty; }
.field .error b { font-weight: 600; }
.field .error .icon { width: 1.125rem; height: 1.125rem; margin-block-start: .0625rem; }
.field input { display: block; width: 100%; min-height: 3rem; padding: .625rem .75rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--surface); color: inherit; font: inherit; }
.field input:focus-visible { border-color: var(--primary); outline-offset: 0; border-radius: .5rem; }
.field input[aria-invalid] { border-color: var(--danger); box-shadow: inset 0 0 0 1px var(--danger); outline-color: var(--danger); }
.field input[aria-invalid]:focus-visible { box-shadow: none; }
.field .digits, .field .code, .secret, .codes { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
.field .digits { font-size: 1.25rem; letter-spacing: .25em; }
.check { display: flex; gap: .75rem; align-items: center; min-height: 2.75rem; font-weight: 400; font-size: 1rem; }
.check input { flex: none; width: 1.5rem; height: 1.5rem; accent-color: var(--primary); }

.button { display: flex; align-items: center; justify-content: center; gap: .625rem; width: 100%; min-height: 3rem; padding: .625rem 1rem; border: 1px solid transparent; border-radius: .5rem; background: var(--primary); color: var(--on-primary); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; transition: background-color .12s, border-color .12s; }
.button:hover { background: var(--primary-strong); color: var(--on-primary); }
.button:focus-visible { border-radius: .5rem; }
.button.second { background: transparent; color: var(--text); border-color: var(--edge); }
.button.second:hover { background: var(--sunken); border-color: var(--text); }
.button.second .icon { color: var(--primary); }
.button[aria-busy=true] { cursor: progress; }
.button[aria-busy=true] .icon { display: none; }
.button[aria-busy=true]::before { content: ""; width: 1.125rem; height: 1.125rem; flex: none; border: 2px solid; border-inline-end-color: transparent; border-radius: 50%; animation: turn .9s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
.icon { width: 1.25rem; height: 1.25rem; flex: none; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.link { display: inline-block; padding-block: .625rem; }
.links { margin-block: .5rem -.625rem; }
.links:has(+ .or) { margin-block-end: 0; }
.end { margin-block: 1.5rem -1rem; padding-block-start: .5rem; border-block-start: 1px solid var(--line); }
p.end { color: var(--muted); }
.or { display: flex; align-items: center; gap: .75rem; margin-block: 1rem; color: var(--muted); font-size: .875rem; }
.or::before, .or::after { content: ""; flex: 1; border-block-start: 1px solid var(--line); }

.problem, .note { display: flex; gap: .75rem; padding: .75rem 1rem; border: 1px solid var(--danger-line); border-radius: .5rem; background: var(--danger-back); text-wrap: pretty; }
.problem { margin-block-start: 1.25rem; }
.problem:focus-visible { outline-color: var(--danger); outline-offset: 0; border-radius: .5rem; }
.problem .icon { margin-block-start: .125rem; color: var(--danger); }
.problem b, .note b { display: block; font-weight: 600; }
.note { border-color: var(--warning-line); background: var(--warning-back); }
.note .icon { margin-block-start: .125rem; color: var(--warning); }
.done, .email { display: block; width: 2.5rem; height: 2.5rem; margin-block-end: 1rem; color: var(--success); }
.email { color: var(--primary); }
summary { padding-block: .625rem; color: var(--primary); cursor: pointer; }
summary:hover { color: var(--primary-strong); text-decoration: underline; text-underline-offset: .2em; }
details[open] summary { margin-block-end: .5rem; }
details[open] { padding-block-end: 1rem; }
.qr { width: min(14rem, 100%); margin-inline: auto; padding: .25rem; background: #FFF; border: 1px solid var(--line); border-radius: .5rem; forced-color-adjust: none; }
.qr svg { display: block; width: 100%; }
.secret, .codes { padding: .75rem 1rem; background: var(--sunken); border: 1px solid var(--line); border-radius: .5rem; }
.secret { text-align: center; word-spacing: .25em; text-wrap: balance; user-select: all; }
.codes { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(8.5rem, 100%), 1fr)); gap: .25rem 1rem; list-style: none; text-align: center; }

@media (max-width: 30rem) {
  body { background: var(--surface); }
  .head { padding: 1.25rem 1.25rem 0; }
  main, .admin main { margin-block-start: 0; padding: 1.5rem 1.25rem; border: 0; border-radius: 0; box-shadow: none; }
  .foot { margin-block-start: auto; padding: .5rem 1.25rem 0; }
  body { padding-block-end: 1rem; }
}
@media (prefers-reduced-motion: reduce) {
  *, ::before, ::after { transition: none !important; animation: none !important; }
  .button[aria-busy=true]::before { display: none; }
}
@media (forced-colors: active) {
  svg { color: CanvasText !important; }
  .button, .button.second { border-color: ButtonText; }
  .field input[aria-invalid] { border-width: 3px; }
}
@media print {
  .admin .head { background: none; color: #000; }
  .foot, form, .note { display: none; }
  main { border: 0; box-shadow: none; }
}
`
  .trim()
  .replace(/\n\s*/g, '\n');
