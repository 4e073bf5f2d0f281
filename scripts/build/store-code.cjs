"use strict";
/**
 * Stores the code that V8 compiled of the chunks of this process in the user's cache, for the next start with this release of Node.
 *
 * A chunk has the functions that ran. The run of a program that succeeded stores `NAME`, a failed one `NAME.partial`, which the next
 * successful run replaces. Nothing is written into directories of other users, and errors are ignored: the next start is slower.
 */
const fs = require("node:fs");
const { dirname } = require("node:path");

/** Directories that stay, one per build of Firesteel and release of Node, at most about 4 MB each. */
const maxDirectories = 6;

exports.storeCode = ({ directory, scripts, exit }) => {
  try {
    // A successful run stores all its chunks, because it may have compiled more functions of those that were stored.
    const chunks = exit === 0 ? scripts : scripts.filter(({ stored }) => stored === undefined);
    if (chunks.length === 0 || !prepareDirectory(directory)) return;
    for (const { name, script } of chunks) {
      replaceFile(`${directory}/${name}${exit === 0 ? "" : ".partial"}`, script.createCachedData());
      if (exit === 0) fs.rmSync(`${directory}/${name}.partial`, { force: true });
    }
    removeOldest(directory);
  } catch {
    // Read-only, full, or removed by another process.
  }
};

/**
 * Creates the directory and those that contain it, unless another user owns the first one that exists, as with `sudo` and the home of
 * the caller. One by one: Node's recursive `mkdir` does not end on a file system that reports ENOENT, as /proc does.
 */
function prepareDirectory(directory) {
  const missing = [];
  let existing = directory;
  for (; !fs.existsSync(existing); existing = dirname(existing)) missing.unshift(existing);
  if (!isOwn(existing)) return false;
  for (const path of missing) createUnlessExists(path);
  return isOwn(directory) && isOwn(dirname(directory));
}

function createUnlessExists(path) {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}

function isOwn(directory) {
  const stat = fs.lstatSync(directory);
  return stat.isDirectory() && stat.uid === process.geteuid() && (stat.mode & 0o022) === 0;
}

/** Replaces a file at once: a reader finds the old or the new content, also after a loss of power. */
function replaceFile(path, data) {
  const partial = `${path}.${process.pid}.new`;
  try {
    const file = fs.openSync(partial, "wx", 0o600);
    try {
      fs.writeFileSync(file, data);
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(partial, path);
  } catch (error) {
    fs.rmSync(partial, { force: true });
    throw error;
  }
}

function removeOldest(directory) {
  const all = dirname(directory);
  const found = fs
    .readdirSync(all)
    .map((name) => ({ path: `${all}/${name}`, time: fs.lstatSync(`${all}/${name}`).mtimeMs }));
  const old = found.filter(({ path }) => path !== directory).sort((a, b) => b.time - a.time);
  for (const { path } of old.slice(maxDirectories - 1)) fs.rmSync(path, { recursive: true, force: true });
}
