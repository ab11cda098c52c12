// Files to the server and reports back. The server keeps nothing: the file goes along each time.

export const MOST_BYTES = 32 * 2 ** 20;

function send(path, file, settings, signal) {
  const query = new URLSearchParams({ ...settings, name: file.name });
  return fetch(`${path}?${query}`, {
    method: "POST", body: file, signal, headers: { "content-type": "application/octet-stream" },
  });
}

async function refusal(response) {
  try {
    return new Error((await response.json()).error);
  } catch {
    return new Error(`The lab answered with status ${response.status}.`);
  }
}

// The columns of a file, its label and its first rows.
export async function columnsOf(file, signal) {
  if (file.size > MOST_BYTES) {
    throw new Error(`${file.name} has ${(file.size / 2 ** 20).toFixed(0)} MB; the lab takes up to `
      + `${MOST_BYTES / 2 ** 20} MB, the command line any size.`);
  }
  const response = await send("api/data/columns", file, {}, signal);
  if (!response.ok) throw await refusal(response);
  return response.json();
}

// Calls told(event, content) for each server-sent event; ends with the report or throws.
export async function report(file, settings, told, signal) {
  const response = await send("api/data/report", file, settings, signal);
  if (!response.ok) throw await refusal(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const { event, content } = parsed(part);
      if (event === "error") throw new Error(content.error);
      if (event === "done") return;
      told(event, content);
    }
  }
  throw new Error("The report broke off; is the lab still running?");
}

function parsed(part) {
  const lines = part.split("\n");
  const value = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  return { event: value("event"), content: JSON.parse(value("data") ?? "{}") };
}

export function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
