import { submitError } from "../errors/submit-error.ts";
import { childrenOf } from "../values/xml.ts";
import type { Described, Descriptors } from "./graph/resolve-graph.ts";
import { isDynamic, newestIn } from "./ivy-version.ts";
import { artifactPath, metadataPath, pomPath } from "./m2-path.ts";
import { readVersioning } from "./maven-metadata.ts";
import { bareDescriptor, type ModuleDescriptor } from "./module-descriptor.ts";
import { type ModuleRevision, printIvyRevision, printRevision } from "./module-revision.ts";
import { describePom } from "./pom/describe-pom.ts";
import { type EffectivePom, effectivePom } from "./pom/effective-pom.ts";
import { type Pom, PomProblem, parsePom } from "./pom/pom.ts";
import type { Repository } from "./repository.ts";

/** Several times those of the largest builds, but an end for a repository that generates POMs without one. */
const maxPoms = 2000;
/** Maximum number of POMs between a module and its furthest parent or import. */
const maxInheritance = 100;

const jar = { type: "jar", extension: "jar", classifier: undefined };

/** Result of a search for a module. */
interface Found {
  readonly descriptor: ModuleDescriptor;
  readonly repository: Repository;
}

/** A parsed POM, and the repository that has it. */
interface RawPom {
  readonly pom: Pom;
  readonly repository: Repository;
}

interface Loaded {
  readonly pom: EffectivePom;
  readonly repository: Repository;
}

/** Modules of repositories. Each is requested once. */
export interface Modules extends Descriptors {
  /** Returns the repository of a module's descriptor. */
  readonly repositoryOf: (id: ModuleRevision) => Promise<Repository | undefined>;
}

/** Searches modules in repositories. The first repository that has a module provides it. */
export function findModules(repositories: readonly Repository[]): Modules {
  return new RepositoryModules(repositories);
}

class RepositoryModules implements Modules {
  private readonly repositories: readonly Repository[];
  private readonly found = new Map<string, Promise<Found | string>>();
  private readonly rawPoms = new Map<string, Promise<RawPom | undefined>>();
  /** Contains only complete POMs: POMs that reference each other would wait for each other. */
  private readonly poms = new Map<string, Loaded>();

  constructor(repositories: readonly Repository[]) {
    this.repositories = repositories;
  }

  async load(id: ModuleRevision): Promise<Described> {
    const result = await this.findOnce(id);
    if (typeof result === "string") return { ok: false, problem: result };
    requireAtMost(maxPoms, result.descriptor.dependencies.length);
    for (const dependency of result.descriptor.dependencies)
      if (dependency.mapping.has("compile") || dependency.mapping.has("runtime")) this.prefetch(dependency.id);
    return { ok: true, descriptor: result.descriptor };
  }

  prefetch(id: ModuleRevision): void {
    // A later caller that needs the module gets the error.
    this.findOnce(id).catch(() => {});
  }

  async repositoryOf(id: ModuleRevision): Promise<Repository | undefined> {
    const result = await this.findOnce(id);
    return typeof result === "string" ? undefined : result.repository;
  }

  private findOnce(id: ModuleRevision): Promise<Found | string> {
    return getOrAdd(this.found, printRevision(id), () => this.find(id));
  }

  /** Returns the module, or the problem. */
  private async find(id: ModuleRevision): Promise<Found | string> {
    try {
      const revision = isDynamic(id.version) ? await this.newestRevision(id) : id;
      return (revision && ((await this.describe(revision)) ?? (await this.findBare(revision)))) ?? "not found";
    } catch (error) {
      if (error instanceof PomProblem) return error.message;
      throw error;
    }
  }

  private async describe(id: ModuleRevision): Promise<Found | undefined> {
    const loaded = await this.pomOf(id);
    if (loaded === undefined) return undefined;
    const hasJar = async () => (await this.withJar(id)) !== undefined;
    const descriptor = await describePom({ ...loaded.pom, id }, hasJar);
    return { descriptor, repository: loaded.repository };
  }

  private async findBare(id: ModuleRevision): Promise<Found | undefined> {
    const repository = await this.withJar(id);
    return repository && { descriptor: bareDescriptor(id), repository };
  }

  private async withJar(id: ModuleRevision): Promise<Repository | undefined> {
    const path = artifactPath(id, { ...jar, name: id.artifact });
    for (const repository of this.repositories) if (await repository.has(path)) return repository;
    return undefined;
  }

  private async newestRevision(id: ModuleRevision): Promise<ModuleRevision | undefined> {
    const lists = await Promise.all(this.repositories.map((repository) => versionsIn(repository, id)));
    const version = newestIn(id.version, lists.flat());
    return version === undefined ? undefined : { ...id, version };
  }

  private readPom(id: ModuleRevision): Promise<RawPom | undefined> {
    requireAtMost(maxPoms, this.rawPoms.size + 1);
    return readPom(this.repositories, id);
  }

  private async pomOf(id: ModuleRevision, within: readonly string[] = []): Promise<Loaded | undefined> {
    const key = printRevision(id);
    const known = this.poms.get(key);
    if (known !== undefined) return known;
    if (within.includes(key)) throw new PomProblem(`${printIvyRevision(id)} is its own parent or import`);
    if (within.length >= maxInheritance)
      throw new PomProblem(`${printIvyRevision(id)} is below more than ${maxInheritance} parents or imports`);
    const read = await getOrAdd(this.rawPoms, key, () => this.readPom(id));
    if (read === undefined) return undefined;
    const pom = await effectivePom(read.pom, async (other) => {
      const loaded = await this.pomOf(other, [...within, key]);
      if (loaded === undefined) throw new PomProblem(`${printIvyRevision(other)}: not found`);
      return loaded.pom;
    });
    const loaded = { pom, repository: read.repository };
    this.poms.set(key, loaded);
    return loaded;
  }
}

function requireAtMost(limit: number, count: number): void {
  if (count > limit) throw submitError("SUBMIT_ERR_PACKAGE_LIMIT", { what: `more than ${limit} POMs` });
}

/** Returns the first valid POM. @throws PomProblem if all are invalid */
async function readPom(repositories: readonly Repository[], id: ModuleRevision): Promise<RawPom | undefined> {
  let problem: PomProblem | undefined;
  for (const repository of repositories) {
    const bytes = await repository.read(pomPath(id));
    try {
      if (bytes !== undefined) return { pom: parsePom(bytes), repository };
    } catch (error) {
      if (!(error instanceof PomProblem)) throw error;
      problem ??= error;
    }
  }
  if (problem !== undefined) throw problem;
  return undefined;
}

/** Lists versions from maven-metadata.xml, or from the directory names. */
async function versionsIn(repository: Repository, id: ModuleRevision): Promise<readonly string[]> {
  const path = metadataPath(id);
  const versioning = await readVersioning(repository, path);
  if (versioning === undefined) return await repository.list(path.slice(0, path.lastIndexOf("/")));
  return childrenOf(versioning, "versions", "version").map(({ text }) => text);
}

function getOrAdd<T>(known: Map<string, Promise<T>>, key: string, create: () => Promise<T>): Promise<T> {
  const value = known.get(key) ?? create();
  known.set(key, value);
  return value;
}
