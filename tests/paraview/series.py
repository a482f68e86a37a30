# Series of files, read by ParaView's readers.
from dataclasses import dataclass

import numpy
from paraview import servermanager, simple
from paraview.vtk.util.numpy_support import vtk_to_numpy


class Cells:
    """Points of each cell, of an array of their numbers and one of where each begins."""

    def __init__(self, arrays):
        self.points, self.first = [], [0]
        for cells in arrays:
            first = vtk_to_numpy(cells.GetOffsetsArray()) + len(self.points)
            self.first += first[1:].tolist()
            self.points += vtk_to_numpy(cells.GetConnectivityArray()).tolist()

    def __len__(self):
        return len(self.first) - 1

    def __getitem__(self, i):
        if i >= len(self):
            raise IndexError(i)
        return tuple(self.points[self.first[i]:self.first[i + 1]])


@dataclass
class Part:
    """One data set: points, cells, and the arrays on both."""
    points: numpy.ndarray
    types: list   # of VTK, one a cell of an unstructured grid
    cells: Cells
    on_points: dict
    on_cells: dict


def arrays(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}


def part_of(data):
    points = data.GetPoints()
    grid = data.IsA("vtkUnstructuredGrid")
    lists = [data.GetCells()] if grid else [data.GetVerts(), data.GetLines(), data.GetPolys(), data.GetStrips()]
    cells = Cells([one for one in lists if one and one.GetNumberOfCells()])
    assert len(cells) == data.GetNumberOfCells()
    return Part(vtk_to_numpy(points.GetData()).reshape(-1, 3) if points and points.GetNumberOfPoints() else numpy.zeros((0, 3)),
                vtk_to_numpy(data.GetCellTypesArray()).tolist() if grid and len(cells) else [], cells,
                arrays(data.GetPointData()), arrays(data.GetCellData()))


def parts_of(data):
    if not data.IsA("vtkCompositeDataSet"):
        return [part_of(data)]
    walk = data.NewIterator()
    parts = []
    walk.InitTraversal()
    while not walk.IsDoneWithTraversal():
        parts.append(part_of(walk.GetCurrentDataObject()))
        walk.GoToNextItem()
    return parts


def one(file):
    return {"FileName": [str(file)]}


# ParaView offers three readers for the ending .xdmf
READERS = {".pvd": (("PVDReader", lambda file: {"FileName": str(file)}),),
           ".xdmf": (("Xdmf3ReaderS", one), ("Xdmf3ReaderT", one), ("XDMFReader", lambda file: {"FileNames": [str(file)]}))}


def frames_of(reader):
    for time in list(reader.TimestepValues):
        reader.UpdatePipeline(time)
        yield time, parts_of(servermanager.Fetch(reader))


def read_series(file):
    """For each reader that ParaView has for the file its name and the frames (time, parts)."""
    for name, argument in READERS[file.suffix]:
        reader = getattr(simple, name)(**argument(file))
        reader.UpdatePipelineInformation()
        try:
            yield name, frames_of(reader)
        finally:
            simple.Delete(reader)
