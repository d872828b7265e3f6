"""The programs: what Debian packages they are in, what they do here, and what they must give."""

import pathlib
from collections.abc import Callable
from dataclasses import dataclass, field

import inputs

_HERE = pathlib.Path(__file__).resolve().parent
_PROTEIN = "ACDEFGHIKLMNPQRSTVWY"


@dataclass(frozen=True)
class Program:
    """`command` runs in a folder that `prepare` has filled; {n} becomes the number of threads.

    Standard output and the files `outputs` are compared: byte by byte, or where `tolerance` is
    given, number by number with that relative difference allowed. `ignore` is a regular
    expression for lines of standard output that tell times and the like.
    """

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    prepare: Callable[[pathlib.Path], None] = lambda folder: None
    outputs: tuple[str, ...] = ()
    tolerance: float | None = None
    ignore: str = ""
    environment: dict[str, str] = field(default_factory=dict)


def _picture(name: str):
    return lambda folder: inputs.picture(folder / name)


def _pictures(folder: pathlib.Path) -> None:
    for i in (1, 2, 3):
        inputs.picture(folder / f"in{i}.png", seed=i)


def _proteins(folder: pathlib.Path) -> None:
    inputs.family(folder / "in.fa", 60, 250, _PROTEIN)


def _aligned(folder: pathlib.Path) -> None:
    inputs.family(folder / "in.fa", 80, 400, _PROTEIN, gaps=False)


def _genes(folder: pathlib.Path) -> None:
    inputs.family(folder / "in.fa", 300, 400, "ACGT")


def _genomes(folder: pathlib.Path) -> None:
    inputs.family(folder / "in.fa", 8, 40000, "ACGT", gaps=False)


def _learner(folder: pathlib.Path) -> None:
    inputs.instances(folder / "train", 1500, 5)
    inputs.instances(folder / "test", 500, 6)


def _python(script: str) -> tuple[str, ...]:
    return ("/usr/bin/python3", str(_HERE / script), "{n}")


def _nucleotides(folder: pathlib.Path) -> None:
    inputs.family(folder / "in.fa", 20, 1000, "ACGT", gaps=False)


def _text(name: str, text: str):
    return lambda folder: (folder / name).write_text(text)


def _two_genomes(folder: pathlib.Path) -> None:
    inputs.family(folder / "all.fa", 6, 60000, "ACGT", gaps=False)
    for number, record in enumerate((folder / "all.fa").read_text().split(">")[1:]):
        (folder / f"g{number}.fa").write_text(">" + record)


# Water is put into a box, comes to rest, and moves for 100 steps; the energies on the way.
_WATER = {
    "water.top": '#include "oplsaa.ff/forcefield.itp"\n#include "oplsaa.ff/spce.itp"\n[ system ]\nwater\n[ molecules ]\n',
    "rest.mdp": "integrator = steep\nnsteps = 30\ncoulombtype = PME\nrvdw = 0.9\nrcoulomb = 0.9\n",
    "move.mdp": "integrator = md\nnsteps = 100\ndt = 0.0005\ncoulombtype = PME\nrvdw = 0.9\nrcoulomb = 0.9\nnstenergy = 50\n"
                "nstlog = 50\nnstcalcenergy = 10\ngen-vel = yes\ngen-temp = 300\ngen-seed = 1\n",
}


def _water(folder: pathlib.Path) -> None:
    for name, text in _WATER.items():
        (folder / name).write_text(text)


def _gromacs(mdrun: str) -> tuple[str, ...]:
    return ("sh", "-c", "(gmx solvate -cs spc216.gro -box 3 3 3 -p water.top -o water.gro && "
            "gmx grompp -f rest.mdp -c water.gro -p water.top -o rest.tpr && gmx mdrun -deffnm rest -ntmpi 1 -ntomp {n} && "
            f"gmx grompp -f move.mdp -c rest.gro -p water.top -o move.tpr && {mdrun} -deffnm move -reprod -ntomp {{n}}"
            ") > /dev/null 2>&1 && grep -A1 'LJ (SR)' move.log")


# Two molecules of water for psi4 and CP2K.
_TWO_WATERS = "O 0 0 0\nH 0 0.76 0.58\nH 0 -0.76 0.58\nO 0 0 3\nH 0 0.76 3.58\nH 0 -0.76 3.58\n"
_PSI4 = "memory 500 mb\nmolecule {\n" + _TWO_WATERS + "}\nset basis cc-pvdz\nset scf_type df\nenergy('b3lyp')\nenergy('mp2')\n"
_CP2K = f"""&GLOBAL
 PROJECT water
 RUN_TYPE ENERGY
 PRINT_LEVEL LOW
&END
&FORCE_EVAL
 METHOD Quickstep
 &DFT
  BASIS_SET_FILE_NAME /usr/share/cp2k/BASIS_MOLOPT
  POTENTIAL_FILE_NAME /usr/share/cp2k/GTH_POTENTIALS
  &MGRID
   CUTOFF 200
  &END
  &SCF
   MAX_SCF 12
   &OT
   &END
  &END
  &XC
   &XC_FUNCTIONAL PBE
   &END
  &END
 &END
 &SUBSYS
  &CELL
   ABC 8 8 8
  &END
  &COORD
{_TWO_WATERS}  &END
  &KIND H
   BASIS_SET DZVP-MOLOPT-SR-GTH
   POTENTIAL GTH-PBE
  &END
  &KIND O
   BASIS_SET DZVP-MOLOPT-SR-GTH
   POTENTIAL GTH-PBE
  &END
 &END
&END
"""

# A ring of 41 inverters, whose transistors ngspice computes in parallel.
_INVERTERS = 41
_RING = (
    "ring\n.model n nmos level=14 version=4.8\n.model p pmos level=14 version=4.8\nvdd vdd 0 1.2\n"
    + "".join(f"mp{i} s{(i + 1) % _INVERTERS} s{i} vdd vdd p w=2u l=0.1u\nmn{i} s{(i + 1) % _INVERTERS} s{i} 0 0 n w=1u l=0.1u\n"
              f"c{i} s{(i + 1) % _INVERTERS} 0 5f\n" for i in range(_INVERTERS))
    + ".ic v(s0)=0 v(s2)=1.2\n.tran 5p 3n uic\n.control\nrun\nmeas tran mean avg v(s1) from=1n to=3n\n"
    "meas tran most max v(s7) from=1n to=3n\n.endc\n.end\n"
)


def _ring(folder: pathlib.Path) -> None:
    (folder / "ring.cir").write_text(_RING)
    (folder / ".spiceinit").write_text("set num_threads=4\n")


# Random fields on the globe, brought to other grids.
_CDO = ("cdo -s -P {n} -f nc random,r360x180,1 in.nc && for way in remapbil remapcon remapdis; do "
        "cdo -s -P {n} $way,r90x45 in.nc $way.nc && cdo -s outputf,%.6g,6 $way.nc; done")


PROGRAMS = (
    # ImageMagick takes a second thread for pictures of many million points alone.
    Program(
        "imagemagick", ("imagemagick",),
        ("convert", "in.ppm", "-resize", "800%", "-gaussian-blur", "0x1", "-swirl", "50", "-resize", "20%", "out.ppm"),
        _picture("in.ppm"), ("out.ppm",),
    ),
    Program(
        "imagemagick-small", ("imagemagick",),
        ("convert", "in.ppm", "-colorspace", "Lab", "-morphology", "Dilate", "Disk:3", "-charcoal", "2",
         "-unsharp", "0x2", "-distort", "Arc", "60", "-depth", "8", "out.ppm"),
        _picture("in.ppm"), ("out.ppm",),
    ),
    Program(
        "graphicsmagick", ("graphicsmagick",),
        ("gm", "convert", "in.ppm", "-resize", "150%", "-blur", "0x3", "-sharpen", "0x1", "-equalize", "out.ppm"),
        _picture("in.ppm"), ("out.ppm",),
    ),
    Program(
        "numpy-openblas", ("python3-numpy", "libopenblas0-openmp"), _python("linear_algebra.py"), tolerance=1e-8,
        environment={"LD_LIBRARY_PATH": "/usr/lib/x86_64-linux-gnu/openblas-openmp:/usr/lib/aarch64-linux-gnu/openblas-openmp"},
    ),
    Program("fftw", ("libfftw3-double3",), _python("transforms.py"), tolerance=1e-9),
    Program(
        "r-data.table", ("r-cran-data.table",),
        ("Rscript", "--vanilla", str(_HERE / "tables.R"), "{n}"), tolerance=1e-10,
    ),
    Program(
        "clustalo", ("clustalo",), ("clustalo", "-i", "in.fa", "-o", "out.fa", "--threads={n}", "--iterations=1"),
        _proteins, ("out.fa",),
    ),
    Program("kalign", ("kalign",), ("kalign", "-i", "in.fa", "-o", "out.fa", "--nthreads", "{n}"), _proteins, ("out.fa",),
            ignore=r"."),
    Program("muscle", ("muscle",), ("muscle", "-align", "in.fa", "-output", "out.fa", "-threads", "{n}"), _proteins, ("out.fa",)),
    Program("fasttree", ("fasttree",), ("fasttreeMP", "-quiet", "-nopr", "in.fa"), _aligned, tolerance=1e-6),
    Program("cd-hit", ("cd-hit",), ("cd-hit", "-i", "in.fa", "-o", "out", "-c", "0.7", "-T", "{n}", "-M", "400"),
            _aligned, ("out", "out.clstr"), ignore=r"CPU|second|time|Started|Buffer|Table|Miscellaneous|Total|MB|memory"),
    Program("sumaclust", ("sumaclust",), ("sumaclust", "-p", "{n}", "-t", "0.9", "in.fa"), _genes),
    Program("andi", ("andi",), ("andi", "-t", "{n}", "in.fa"), _genomes),
    Program("par2", ("par2",), ("par2", "create", "-q", "-q", "-s16384", "-r20", "-n1", "-t{n}", "set.par2", "in.bin"),
            lambda folder: inputs.noise(folder / "in.bin"), ("set.par2", "set.vol00+13.par2")),
    Program("primecount", ("primecount",), ("primecount", "1e12", "-t", "{n}")),
    Program("pngquant", ("pngquant",), ("pngquant", "--speed", "1", "--output", "out.png", "64", "in.png"),
            _picture("in.png"), ("out.png",)),
    # Floating point, because enfuse dithers whole numbers at random.
    Program("enfuse", ("enfuse",), ("enfuse", "-o", "out.tif", "--depth=r32", "--compression=none", "in1.png", "in2.png",
                                    "in3.png"),
            _pictures, ("out.tif",)),
    Program("sox", ("sox",),
            ("sox", "-R", "--multi-threaded", "--buffer", "8192", "-n", "-c", "4", "-r", "44100", "out.wav", "synth", "3", "sine",
             "200:800", "square", "300", "sine", "440", "sine", "90", "chorus", "0.7", "0.9", "55", "0.4", "0.25", "2", "-t",
             "reverb", "rate", "-v", "32000"),
            outputs=("out.wav",)),
    Program("msgmerge", ("gettext",), ("msgmerge", "--no-location", "-q", "-o", "out.po", "old.po", "new.pot"),
            lambda folder: inputs.catalogues(folder / "old.po", folder / "new.pot"), ("out.po",)),
    Program("timbl", ("timbl",), ("timbl", "-f", "train", "-t", "test", "-o", "out", "-a", "0", "-k", "3", "--clones={n}"),
            _learner, ("out",), ignore=r"@|[Ss]econds|[Tt]ime"),
    Program("tesseract", ("tesseract-ocr",), ("tesseract", "in.png", "stdout", "--dpi", "150"),
            lambda folder: inputs.page_of_digits(folder / "in.png", ["3141592653", "2718281828", "1414213562 5772"])),
    # Fortran.
    Program("xtb", ("xtb",), ("sh", "-c", "xtb in.xyz --gfn 2 -P {n} | grep -E 'TOTAL ENERGY|HOMO-LUMO GAP'"),
            lambda folder: inputs.molecules(folder / "in.xyz"), tolerance=1e-6),
    Program("mopac", ("mopac",), ("sh", "-c", "mopac in.mop > /dev/null 2>&1; grep -E 'FINAL HEAT|TOTAL ENERGY|IONIZATION' in.out"),
            lambda folder: inputs.molecules(folder / "in.mop", "PM7 THREADS=4\nwater\n\n"), tolerance=1e-4),
    # Fortran, MPI and OpenMP.
    Program("elk", ("elk-lapw",), ("sh", "-c",
                                   "elk-lapw > /dev/null && tail -1 TOTENERGY.OUT && tail -1 EFERMI.OUT && tail -1 GAP.OUT"), _text(
        "elk.in",
        "tasks\n 0\n\navec\n 1 1 0\n 1 0 1\n 0 1 1\n\nscale\n 3.75\n\nsppath\n '/usr/share/elk-lapw/species/'\n\natoms\n 1\n"
        " 'Al.in'\n 1\n"
        " 0 0 0 0 0 0\n\nngridk\n 3 3 3\n"), tolerance=1e-6),
    # It refuses more threads than cores.
    Program("iqtree", ("iqtree",), ("sh", "-c",
                                    "iqtree2 -s in.fa -nt 2 -seed 1 -m GTR+G4 -pre out > /dev/null && grep -A2 'Tree in newick' "
                                    "out.iqtree"),
            _nucleotides, tolerance=1e-3),
    Program("psi4", ("psi4",), ("sh", "-c", "psi4 in.psi -n {n} -o out > /dev/null && grep -E 'Total Energy *=' out"),
            _text("in.psi", _PSI4), tolerance=1e-6),
    # Built for MPI and OpenMP; one process.
    Program("cp2k", ("cp2k", "cp2k-data"), ("sh", "-c", "cp2k.psmp in.inp > out; grep -E 'Total FORCE_EVAL' out"),
            _text("in.inp", _CP2K), tolerance=1e-6),
    # Two ranks that are threads of the program, each with a team; and MPI's, with OpenMP.
    Program("gromacs", ("gromacs",), _gromacs("gmx mdrun -ntmpi 2"), _water, tolerance=1e-3),
    Program("gromacs-mpi", ("gromacs", "openmpi-bin"), _gromacs("mpirun --allow-run-as-root --oversubscribe -n 2 gmx_mpi mdrun"),
            _water,
            tolerance=1e-3),
    Program("phylonium", ("phylonium",), ("phylonium", "-t", "{n}", "g0.fa", "g1.fa", "g2.fa", "g3.fa", "g4.fa", "g5.fa"),
            _two_genomes),
    Program("fastani", ("fastani",), ("fastANI", "-q", "g0.fa", "-r", "g1.fa", "-t", "{n}", "--fragLen", "500", "-o", "out.txt"),
            _two_genomes, ("out.txt",)),
    Program("e-mem", ("e-mem",), ("sh", "-c", "e-mem -l 20 -t {n} g0.fa g1.fa | sort"), _two_genomes),
    # Its nested functions want executable stacks.
    Program("bart", ("bart",), ("sh", "-c",
                                "bart phantom -x 256 -k -s 4 k && bart fft -u -i 3 k i && bart rss 8 i out && md5sum < out.cfl")),
    Program("normaliz", ("normaliz",), ("normaliz", "-x={n}", "--HilbertBasis", "--HilbertSeries", "in.in"), _text(
        "in.in", "amb_space 8\ncone 18\n"
        + "".join(" ".join(str((i * 7 + j * j * 3 + i * j) % 11) for j in range(8)) + "\n" for i in range(18))),
            ("in.out",), ignore=r"."),
    Program("jpegqs", ("jpegqs",), ("jpegqs", "-t", "{n}", "in.jpg", "out.jpg"), lambda folder: inputs.jpeg(folder / "in.jpg"),
            ("out.jpg",), ignore=r"."),
    Program("sklearn", ("python3-sklearn",), _python("learning.py"), tolerance=1e-7),
    Program("r-stringdist", ("r-cran-stringdist",), ("Rscript", "--vanilla", str(_HERE / "distances.R"), "{n}"), tolerance=1e-12),
    Program("cdo", ("cdo",), ("sh", "-c", _CDO), tolerance=1e-5),
    Program("ngspice", ("ngspice",), ("sh", "-c", "ngspice -b ring.cir | grep -E '^(mean|most) '"), _ring, tolerance=1e-5),
    Program("octave", ("octave", "libopenblas0-openmp"), ("octave-cli", "--norc", str(_HERE / "matrices.m")), tolerance=1e-6,
            environment={"LD_LIBRARY_PATH": "/usr/lib/x86_64-linux-gnu/openblas-openmp:"
                                            "/usr/lib/aarch64-linux-gnu/openblas-openmp"}),
    Program("r-mgcv", ("r-cran-mgcv",), ("Rscript", "--vanilla", str(_HERE / "splines.R"), "{n}"), tolerance=1e-4),
    Program("python-pot", ("python3-pot",), _python("transport.py"), tolerance=1e-6),
    Program("pykdtree", ("python3-pykdtree",), _python("neighbours.py"), tolerance=1e-12),
)
