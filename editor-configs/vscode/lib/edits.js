"use strict";
// The smallest edits that make one text of another. Offsets are in UTF-16 code units.
const text = require("./text");

/** @typedef {{start: number, end: number, newText: string}} Edit */

// Beyond so many differences they are not told apart: one edit is made of all.
const MOST_DIFFERENCES = 600;

/** Words, runs of blanks, and line ends, each apart. */
function tokens(source) {
  return source.match(/\r\n|[\r\n]|[^\S\r\n]+|\S+/g) || [];
}

/** The pairs of equal tokens, found as Myers does it; null when there are too many differences. */
function common(old, fresh) {
  const limit = Math.min(old.length + fresh.length, MOST_DIFFERENCES);
  const trace = [];
  let furthest = new Map([[1, 0]]);
  for (let depth = 0; depth <= limit; depth += 1) {
    trace.push(new Map(furthest));
    for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
      const isDown = diagonal === -depth
        || (diagonal !== depth && furthest.get(diagonal - 1) < furthest.get(diagonal + 1));
      let x = isDown ? furthest.get(diagonal + 1) : furthest.get(diagonal - 1) + 1;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x += 1;
      furthest.set(diagonal, x);
      if (x >= old.length && x - diagonal >= fresh.length) return walkedBack(trace, old.length, fresh.length);
    }
  }
  return null;
}

function walkedBack(trace, x, y) {
  const pairs = [];
  for (let depth = trace.length - 1; depth >= 0; depth -= 1) {
    const furthest = trace[depth];
    const diagonal = x - y;
    const isDown = diagonal === -depth
      || (diagonal !== depth && furthest.get(diagonal - 1) < furthest.get(diagonal + 1));
    const previous = isDown ? diagonal + 1 : diagonal - 1;
    const previousX = furthest.get(previous);
    const startX = depth === 0 ? 0 : isDown ? previousX : previousX + 1;
    while (x > startX) pairs.push([--x, --y]);
    [x, y] = [previousX, previousX - previous];
  }
  return pairs.reverse();
}

/** @returns {Edit[]} ascending, not overlapping */
function between(source, target) {
  const old = tokens(source);
  const fresh = tokens(target);
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head
    && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const pairs = common(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)) || [];
  const kept = [...pairs.map(([x, y]) => [x + head, y + head]), [old.length - tail, fresh.length - tail]];
  const starts = [0];
  for (const token of old) starts.push(starts[starts.length - 1] + token.length);
  const edits = [];
  let [x, y] = [head, head];
  for (const [nextX, nextY] of kept) {
    if (nextX > x || nextY > y) {
      edits.push({ start: starts[x], end: starts[nextX], newText: fresh.slice(y, nextY).join("") });
    }
    [x, y] = [nextX + 1, nextY + 1];
  }
  return edits;
}

/** The text that edits lead to; null when they do not fit the source. @param {Edit[]} edits */
function applied(source, edits) {
  let made = "";
  let position = 0;
  for (const edit of edits) {
    if (edit.start < position || edit.end < edit.start || edit.end > source.length) return null;
    made += source.slice(position, edit.start) + edit.newText;
    position = edit.end;
  }
  return made + source.slice(position);
}

/** Whether an offset is within a CR LF or a surrogate pair: no position of an editor is there. */
function splits(source, offset) {
  const before = source.charCodeAt(offset - 1);
  const after = source.charCodeAt(offset);
  return (before === 13 && after === 10) || (before >> 10 === 0x36 && after >> 10 === 0x37);
}

/**
 * The daemon's edits of an answer. They are used only when they lead to the text that is shown; else own ones.
 * @param {string} source
 * @param {{text: string, edits?: {start: number, end: number, newText: string}[]}} answer
 * @param {string} encoding
 * @returns {Edit[]}
 */
function ofAnswer(source, answer, encoding) {
  const edits = (answer.edits || []).map((edit) => ({
    start: text.offsetOf(source, edit.start, encoding),
    end: text.offsetOf(source, edit.end, encoding),
    newText: edit.newText,
  }));
  const fits = edits.every((edit) => !splits(source, edit.start) && !splits(source, edit.end));
  return fits && applied(source, edits) === answer.text ? edits : between(source, answer.text);
}

module.exports = { applied, between, ofAnswer };
