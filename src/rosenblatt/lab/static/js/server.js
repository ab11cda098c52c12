// The one place that asks a server. The page, a notebook and a lesson saved as a file differ only in
// this: each hands mount() a transport,
//   {compute(experiment), presets(), gif(experiment)}, each a promise of its answer.
// A promise fails with an Error whose message is a sentence for the visitor. `again: true` on it says
// that asking once more may help (nobody answered); without it the question itself was refused.

const PATIENCE = 90_000; // milliseconds: longer than the server computes at the very most
const BUSY = new Set([408, 429, 502, 503, 504]);

async function ask(path, body) {
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, { ...(body && sent), signal: AbortSignal.timeout(PATIENCE) });
  } catch { throw failure("The lab's server does not answer.", true); }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw failure(said.error ?? `The lab's server answered ${response.status}.`, BUSY.has(response.status));
}

function failure(sentence, again) {
  return Object.assign(new Error(sentence), { again });
}

export const server = {
  compute: async (experiment) => (await ask("api/experiment", experiment)).json(),
  presets: async () => (await ask("api/presets")).json(),
  gif: async (experiment) => (await ask("api/gif", experiment)).blob(),
};
