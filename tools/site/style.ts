export const shopStyle = `
:root { color-scheme: light dark; --page: #fbfaf7; --card: #fff; --line: #dedad0; --text: #1c1917; --quiet: #57534e; --teal: #0f766e; --on-teal: #fff; --sky: #d9efe9; }
@media (prefers-color-scheme: dark) {
  :root { --page: #161412; --card: #211f1c; --line: #3d3935; --text: #ece7e1; --quiet: #b0a8a0; --teal: #4fd1bd; --on-teal: #10201d; --sky: #17302b; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
#shop { max-width: 960px; margin: 0 auto; padding: 0 16px 120px; overflow-wrap: anywhere; }
header { padding: 20px 0 12px; border-bottom: 1px solid var(--line); }
.brand { display: inline-flex; align-items: center; gap: 10px; font-weight: 700; font-size: 19px; text-decoration: none; color: var(--text); }
.brand svg { color: var(--teal); }
a { color: var(--teal); }
nav ul { display: flex; flex-wrap: wrap; gap: 2px; list-style: none; margin: 10px 0 0; padding: 0; margin-inline-start: -10px; }
nav a { display: block; padding: 6px 10px; border-radius: 8px; font-size: 15px; text-decoration: none; color: var(--quiet); }
nav a:hover { background: var(--card); color: var(--text); }
nav a[aria-current] { background: var(--sky); color: var(--text); font-weight: 600; }
:focus-visible { outline: 3px solid var(--teal); outline-offset: 2px; border-radius: 4px; }
h1 { margin: 28px 0 8px; font-size: clamp(26px, 5vw, 38px); line-height: 1.15; letter-spacing: -.01em; text-wrap: balance; }
h1:focus { outline: none; }
h2 { margin: 36px 0 8px; font-size: 20px; line-height: 1.3; }
h3 { margin: 0; font-size: 16px; }
p { margin: 0 0 12px; max-width: 65ch; }
.lead { font-size: 18px; color: var(--quiet); }
.try, .view { margin: 0 0 16px; padding: 14px 16px; border: 1px solid transparent; border-radius: 10px; background: var(--sky); max-width: none; }
.view { margin-top: 10px; border-color: var(--line); background: var(--card); }
:is(.try, .view) h2 { margin-top: 0; }
:is(.try, .view) > :last-child { margin-bottom: 0; }
.cards { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(240px, 100%), 1fr)); margin: 16px 0; padding: 0; list-style: none; }
.cards li { padding: 16px; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
.cards p { margin: 4px 0 0; color: var(--quiet); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 14px; }
pre { margin: 0; padding: 14px 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); white-space: pre-wrap; direction: ltr; text-align: left; }
button { font: inherit; font-weight: 600; min-height: 44px; padding: 6px 16px; border: 0; border-radius: 10px; background: var(--teal); color: var(--on-teal); cursor: pointer; }
button.second { background: none; color: var(--teal); box-shadow: inset 0 0 0 1.5px currentColor; }
.row { display: flex; flex-wrap: wrap; gap: 10px; margin: 12px 0; }
table { width: 100%; border-collapse: collapse; }
th { text-align: start; font-size: 14px; color: var(--quiet); font-weight: 600; }
td, th { padding: 8px 12px 8px 0; border-bottom: 1px solid var(--line); }
td:last-child, th:last-child { padding-right: 0; text-align: end; width: 1%; white-space: nowrap; }
td button { width: 100%; }
.missing { display: none; margin: 12px 0 0; padding: 10px 14px; border-radius: 10px; border: 1px solid #b45309; max-width: none; }
[data-widget=missing] .missing { display: block; }
.figure { font-size: 28px; font-weight: 700; }
footer { margin-top: 48px; padding-top: 12px; border-top: 1px solid var(--line); font-size: 14px; color: var(--quiet); }
`;
