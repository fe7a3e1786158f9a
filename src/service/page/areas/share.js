// Links that carry an area of one's own, or a plan, in their fragment: nothing of it is sent to a
// server. Texts are deflated and written in base64 as addresses take it.

/** A link with more characters than this is not made: programs cut it off. */
const LONGEST_LINK = 30_000;

async function through(bytes, transform, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts);
    length += value.length;
    // A short link may say that it is a very long text.
    if (length > most) {
      reader.cancel();
      throw new Error("too long");
    }
    parts.push(value);
  }
}

async function packed(text) {
  const blob = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The text of a link's piece, up to `most` bytes; null where it is none. */
export async function unpacked(word, most) {
  try {
    const letters = atob(word.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const blob = await through(bytes, new DecompressionStream("deflate-raw"), most);
    return new TextDecoder("utf-8", { fatal: true }).decode(await blob.arrayBuffer());
  } catch {
    return null;
  }
}

/**
 * The address of an area, stored or one's own, with a plan where one is given; null where it would
 * be too long.
 */
export async function link({ id, ref, name }, plan) {
  const parts = [];
  if (id) parts.push(`area=${id.split("/").map(encodeURIComponent).join("/")}`);
  else {
    parts.push(`text=${await packed(ref.text)}`, `name=${encodeURIComponent(name)}`);
    if (ref.game) parts.push(`game=${ref.game}`);
    if (ref.level) parts.push(`level=${ref.level}`);
  }
  if (plan) parts.push(`plan=${await packed(plan)}`);
  const address = `${location.href.split("#")[0]}#${parts.join("&")}`;
  return address.length > LONGEST_LINK ? null : address;
}

/** The area that a link carries, as requests name it; null where it cannot be read. */
export async function carried(wish, most) {
  const text = await unpacked(wish.get("text"), most);
  if (text === null) return null;
  const ref = { text };
  if (wish.get("game")) ref.game = wish.get("game");
  if (Number(wish.get("level"))) ref.level = Number(wish.get("level"));
  return { ref, name: wish.get("name") };
}
