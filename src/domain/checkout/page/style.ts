/** The one style sheet of the page, inline. Logical properties throughout: it serves both directions. */
export const STYLE = `
:root{color-scheme:light dark;--page:#f3f5f8;--card:#fff;--text:#15191f;--muted:#505a68;--line:#d8dde5;--edge:#767f8c;--accent:#0a56c7;--on-accent:#fff;
--calm:#e9f1fd;--calm-edge:#0a56c7;--good:#e4f5ea;--good-edge:#0b6b3c;--care:#fff3d9;--care-edge:#8a5300;--bad:#fdeae9;--bad-edge:#a8231f;
font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans Arabic","Noto Sans JP",sans-serif}
@media (prefers-color-scheme:dark){:root{--page:#0e1116;--card:#181d24;--text:#eef1f5;--muted:#aab4c1;--line:#333c48;--edge:#8b96a5;--accent:#86b6ff;--on-accent:#081426;
--calm:#15263f;--calm-edge:#86b6ff;--good:#10291c;--good-edge:#6fd39b;--care:#33260b;--care-edge:#f3c15f;--bad:#3a1716;--bad-edge:#ff9d97}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--page);color:var(--text);overflow-wrap:break-word}
main,footer{inline-size:100%;max-inline-size:30rem;margin-inline:auto;padding:1rem}
main{display:grid;gap:1rem;grid-template-columns:minmax(0,1fr)}
h1,h2,h3,p,dl,dd,ol,form,fieldset{margin:0;padding:0;border:0;min-inline-size:0}
h1{font-size:1.25rem;line-height:1.3;overflow-wrap:anywhere}
h2{font-size:1.125rem;line-height:1.35}
h3,dt,.label{font-size:.875rem;font-weight:500;color:var(--muted)}
bdi{display:inline-block;max-inline-size:100%;overflow-wrap:anywhere;vertical-align:bottom}
.held{white-space:nowrap}
.held>*{white-space:normal}
a{color:var(--accent);text-underline-offset:.2em}
a:not(.button) bdi{text-decoration:underline;text-underline-offset:.2em}
html[dir=ltr] h1{text-align:left}
html[dir=rtl] :is(h1,.amount,.address){text-align:right}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.card{background:var(--card);border:1px solid var(--line);border-radius:.875rem;padding:1.125rem}
.summary,.status,.pay,.step{display:grid;gap:.75rem;grid-template-columns:minmax(0,1fr);align-content:start}
.description{overflow-wrap:anywhere;max-block-size:9rem;overflow-y:auto}
.facts{display:grid;gap:.5rem}
.facts>div{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem}
dd{overflow-wrap:anywhere;min-inline-size:0}
.price{font-weight:600}
.status{border-inline-start:.3rem solid var(--edge-now);background:var(--now)}
.calm{--now:var(--calm);--edge-now:var(--calm-edge)}
.good{--now:var(--good);--edge-now:var(--good-edge)}
.care{--now:var(--care);--edge-now:var(--care-edge)}
.bad{--now:var(--bad);--edge-now:var(--bad-edge)}
.said{display:grid;gap:.375rem;grid-template-columns:minmax(0,1fr)}
.steps{list-style:none;display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:.5rem;font-size:.8125rem}
.steps li{border-block-start:.25rem solid var(--line);padding-block-start:.25rem;color:var(--muted);overflow-wrap:anywhere}
.steps .done,.steps [aria-current]{border-color:var(--edge-now);color:var(--text)}
.steps [aria-current]{font-weight:600;border-block-start-style:dashed}
.steps .done::before{content:"\\2713\\00a0"}
@media (min-width:30rem){.steps{grid-template-columns:repeat(4,minmax(0,1fr))}}
.chips{display:grid;grid-template-columns:repeat(auto-fill,minmax(4rem,1fr));gap:.5rem;margin-block-start:.375rem}
.chips.names{grid-template-columns:repeat(auto-fill,minmax(7rem,1fr))}
.chips button{inline-size:100%;padding-inline:.25rem}
.pay{gap:1.25rem}
.pay>*+*{border-block-start:1px solid var(--line);padding-block-start:1.25rem}
button,.button{font:inherit;font-weight:500;min-block-size:2.75rem;padding:.5rem .875rem;border-radius:.625rem;border:1px solid var(--edge);background:var(--card);color:var(--text);cursor:pointer;text-decoration:none;display:inline-flex;align-items:center;justify-content:center;text-align:center;max-inline-size:100%}
button:hover,.button:hover{border-color:var(--accent)}
[aria-pressed=true]{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent);inline-size:100%}
.amount{font-size:1.5rem;line-height:1.25;font-weight:650;overflow-wrap:anywhere}
.amount.long{font-size:1.125rem}
.copy{user-select:all;-webkit-user-select:all;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
.address{font:.9375rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;display:block}
.line{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}
.line>div{min-inline-size:0;flex:1 1 12rem}
.warning{background:var(--care);border-inline-start:.3rem solid var(--care-edge);border-radius:.375rem;padding:.625rem .75rem}
.scan{display:grid;gap:.75rem;grid-template-columns:minmax(0,1fr);justify-items:center}
.qr{inline-size:min(100%,16rem);block-size:auto;border-radius:.625rem;border:1px solid var(--line);display:block}
input{font:.9375rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;inline-size:100%;min-block-size:2.75rem;padding:.5rem .75rem;border:1px solid var(--edge);border-radius:.625rem;background:var(--card);color:var(--text)}
.fault{border-inline-start:.3rem solid var(--bad-edge);background:var(--bad);border-radius:.375rem;padding:.5rem .75rem}
.small{font-size:.875rem;color:var(--muted)}
.ways{display:grid;gap:.75rem;justify-items:start}
#pay:empty,#refund:empty,.ways:empty,#steps:empty{display:none}
footer{padding-block-start:0}
footer ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:0 1rem}
footer a,footer [aria-current]{display:inline-flex;align-items:center;min-block-size:2rem;font-size:.875rem}
footer a{color:var(--muted)}
.simulator{display:grid;gap:.75rem;grid-template-columns:minmax(0,1fr);border:2px dashed var(--edge);background:none}
.plays{display:flex;flex-wrap:wrap;gap:.5rem}
.plays button{flex:1 1 8.5rem;flex-direction:column;overflow-wrap:anywhere}
.plays button>*{max-inline-size:100%}
.simulator:empty,#outcome:empty{display:none}
.unseen{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (min-width:52rem){.chips{grid-template-columns:repeat(4,minmax(0,1fr))}
main:has(#pay:not(:empty)),main:has(#pay:not(:empty))+footer{max-inline-size:60rem}
main:has(#pay:not(:empty)) .ways{grid-column:2}
main:has(#pay:not(:empty)) .simulator{grid-column:2}
main:has(#pay:not(:empty)){grid-template-columns:minmax(0,5fr) minmax(0,6fr);align-items:start;padding-block-start:2rem}
.left{position:sticky;inset-block-start:1rem}}
.left{display:grid;gap:1rem;grid-template-columns:minmax(0,1fr)}
@media (prefers-reduced-motion:no-preference){button,.button{transition:border-color .15s}}
@media (forced-colors:active){[aria-pressed=true]{outline:2px solid}}
`;
